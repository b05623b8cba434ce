/*
 * mem.c: allocation that cannot fail quietly.
 * Out of memory ends the process: every durable thing is in the store, and a restart recovers it.
 */
#include "base/mem.h"

#include <link.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *checked(void *memory)
{
	if (!memory) {
		fputs("belfry: out of memory\n", stderr);
		abort();
	}
	return memory;
}

void *mem_alloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *mem_zalloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *mem_array(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *mem_grow(void *old, size_t count, size_t size)
{
	return checked(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *mem_strdup(const char *text)
{
	return text ? checked(strdup(text)) : NULL;
}

char *mem_strndup(const char *text, size_t len)
{
	return checked(strndup(text, len));
}

char *mem_printf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	return checked(text);
}

void mem_replace(char **slot, const char *text)
{
	char *copy = mem_strdup(text);

	free(*slot);
	*slot = copy;
}

char **mem_strdup_list(const char *const *list)
{
	size_t count = 0;
	char **copy;

	if (!list)
		return NULL;
	while (list[count])
		count++;
	copy = mem_array(count + 1, sizeof(*copy));
	for (size_t i = 0; i < count; i++)
		copy[i] = mem_strdup(list[i]);
	return copy;
}

void mem_free_list(char **list)
{
	for (char **p = list; p && *p; p++)
		free(*p);
	free(list);
}

static int let_go(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = (info->dlpi_addr + part->p_vaddr) & ~(page - 1);
		uintptr_t end = info->dlpi_addr + part->p_vaddr + part->p_memsz;

		if (part->p_type == PT_LOAD && (part->p_flags & (PF_X | PF_W)) == PF_X)
			madvise((void *)begin, end - begin, MADV_DONTNEED);
	}
	return 0;
}

void mem_settle(void)
{
	malloc_trim(0);
	dl_iterate_phdr(let_go, NULL);
}
