#include "rows.h"
#include "story.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *got = story_tell(argv[i]);
		printf("%s----\n", got);
		free(got);
	}
}
