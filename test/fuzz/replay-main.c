/*
 * replay-main.c: run a fuzzer's function over every file of its corpus, without the fuzzer.
 * Each file gets a process of its own, so that one crash is one failure and the others still run.
 * usage: replay-NAME FOLDER...
 */
#include <dirent.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "fuzz.h"

#define INPUT_MAX ((size_t)1 << 20)

static int passed, failed;

static int run_file(const char *path)
{
	AUTO_BUF struct buf input = {0};
	struct error err = {0};
	uint8_t *exact;

	if (file_read(path, INPUT_MAX, &input, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	/* Of the very size, so that the address sanitizer sees a read past the end. */
	exact = malloc(input.len ? input.len : 1);
	if (!exact)
		return 1;
	if (input.len)
		memcpy(exact, input.data, input.len);
	LLVMFuzzerTestOneInput(exact, input.len);
	free(exact);
	return 0;
}

static void replay(const char *path)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		exit(run_file(path));
	if (child > 0 && waitpid(child, &status, 0) == child && status == 0) {
		passed++;
		return;
	}
	failed++;
	printf("failed: %s\n", path);
}

static int replay_folder(const char *folder)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		AUTO(free) char *path = mem_printf("%s/%s", folder, entries[i]->d_name);

		if (entries[i]->d_name[0] != '.')
			replay(path);
		free(entries[i]);
	}
	free(entries);
	if (count < 0)
		perror(folder);
	return count < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= replay_folder(argv[i]);
	printf("%d passed, %d failed\n", passed, failed);
	/* A corpus that is not there proves nothing. */
	return bad || failed || passed == 0;
}
