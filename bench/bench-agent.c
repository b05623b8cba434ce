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

static void stamp(const char *path, double began)
{
	char input[256] = "", line[64];
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600), len;

	if (fd < 0 || read(STDIN_FILENO, input, sizeof(input) - 1) <= 0)
		die("bench-agent: no '%s', or no input", path);
	len = snprintf(line, sizeof(line), "%.0f %.0f\n", atof(input), began * 1e6);
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
	double began = seconds_of(CLOCK_REALTIME);

	if (argc == 3 && strcmp(argv[1], "stamp") == 0)
		stamp(argv[2], began);
	else if (argc == 3 && strcmp(argv[1], "write") == 0)
		write_lines(atof(argv[2]));
	else if (argc == 3 && strcmp(argv[1], "sleep") == 0)
		sleep((unsigned)atoi(argv[2]));
	return 0;
}
