/*
 * bench-agent.c: an agent that does one thing, linked statically so that starting it costs as little
 * as a program can.
 *
 *	bench-agent                 exits at once
 *	bench-agent stamp FILE      adds "DUE NOW" to FILE: microseconds, the first number of its
 *	                            standard input and the clock as it was when it began
 *	bench-agent write BYTES     writes lines to standard output
 *	bench-agent sleep SECONDS
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

#define CHUNK 65536
#define LINE 80

/*
 * The clock at the very first instruction: what the C library does before main() takes longer than
 * all of a start that is measured here, and is the same for everybody.
 */
struct timespec began;
#ifdef __x86_64__
__asm__(".globl stamp_start\n"
	"stamp_start:\n"
	"	push %rdx\n"
	"	mov $228, %eax\n" /* clock_gettime */
	"	xor %edi, %edi\n" /* CLOCK_REALTIME */
	"	lea began(%rip), %rsi\n"
	"	syscall\n"
	"	pop %rdx\n"
	"	jmp _start\n");
#endif

static void stamp(const char *path)
{
	char input[256] = "", line[64];
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600), len;

	if (fd < 0 || read(STDIN_FILENO, input, sizeof(input) - 1) <= 0)
		die("bench-agent: no '%s', or no input", path);
	len = snprintf(line, sizeof(line), "%.0f %.0f\n", atof(input),
		       (double)began.tv_sec * 1e6 + (double)began.tv_nsec / 1e3);
	if (write(fd, line, (size_t)len) != len)
		die("bench-agent: cannot write '%s'", path);
}

static void write_lines(double bytes)
{
	static char chunk[CHUNK];

	memset(chunk, 'x', sizeof(chunk));
	for (size_t i = LINE - 1; i < sizeof(chunk); i += LINE)
		chunk[i] = '\n';
	while (bytes > 0) {
		ssize_t n = write(STDOUT_FILENO, chunk, sizeof(chunk));

		if (n <= 0)
			die("bench-agent: cannot write");
		bytes -= (double)n;
	}
}

int main(int argc, char **argv)
{
	if (began.tv_sec == 0)
		clock_gettime(CLOCK_REALTIME, &began);
	if (argc == 3 && strcmp(argv[1], "stamp") == 0)
		stamp(argv[2]);
	else if (argc == 3 && strcmp(argv[1], "write") == 0)
		write_lines(atof(argv[2]));
	else if (argc == 3 && strcmp(argv[1], "sleep") == 0)
		sleep((unsigned)atoi(argv[2]));
	return 0;
}
