/*
 * Wrappers at their gate, the nursery they come from, and the parts that programs rather than people
 * would break: rings, trees of processes, letters that are none.
 */
#include "rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/mem.h"

#define LONG_MS 60000

struct world {
	char root[64], missions[80], repos[80];
	struct wrapper_place place;
	pid_t nursery;
	int socket;
};

static void begin_nursery(struct world *w)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	w->nursery = fork();
	assert_true(w->nursery >= 0);
	if (w->nursery == 0) {
		close(ends[0]);
		_exit(nursery_main(ends[1], &w->place));
	}
	close(ends[1]);
	w->socket = ends[0];
}

static int set_up(void **state)
{
	struct world *w = mem_zalloc(sizeof(*w));

	strcpy(w->root, "/tmp/wrapper-unit-XXXXXX");
	assert_non_null(mkdtemp(w->root));
	snprintf(w->missions, sizeof(w->missions), "%s/missions", w->root);
	snprintf(w->repos, sizeof(w->repos), "%s/repos", w->root);
	w->place = (struct wrapper_place){w->missions, w->repos};
	begin_nursery(w);
	*state = w;
	return 0;
}

static int end_nursery(struct world *w)
{
	int status = -1;

	if (w->socket >= 0)
		close(steal_fd(&w->socket));
	if (w->nursery > 0)
		waitpid(w->nursery, &status, 0);
	w->nursery = 0;
	return status;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	struct error err = {0};

	end_nursery(w);
	folder_remove(w->root, &err);
	free(w);
	return 0;
}

/* An order that runs a shell script, as a file. */
static int order_file(const char *mission, const char *script)
{
	static const char *const shell[] = {"sh", "-c", "{prompt}", NULL};
	AUTO(adapter_free) struct adapter *adapter = adapter_built_in("command");
	AUTO(free) char *text = NULL;
	struct order o = {.mission = (char *)mission,
			  .number = 1,
			  .adapter = adapter,
			  .use = USE_HEADLESS,
			  .prompt = (char *)script,
			  .grace = USEC_PER_SEC};
	char **mine = adapter->templates[USE_HEADLESS];
	int fd = memfd_create("order", MFD_CLOEXEC);

	adapter->templates[USE_HEADLESS] = (char **)shell;
	text = order_format(&o);
	adapter->templates[USE_HEADLESS] = mine;
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
	return fd;
}

/* Any letter to the nursery. */
static void post(const struct world *w, const void *bytes, size_t len, const int *fds, size_t count)
{
	union {
		char bytes[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {(void *)bytes, len};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	if (count) {
		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.align = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS,
						 .cmsg_len = CMSG_LEN(count * sizeof(int))};
		memcpy(CMSG_DATA(&control.align), fds, count * sizeof(int));
	}
	assert_int_equal(sendmsg(w->socket, &m, MSG_NOSIGNAL), (ssize_t)len);
}

/* Its answer; the descriptor, or -1. */
static int answer(const struct world *w, struct nursery_reply *ret)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = {ret, sizeof(*ret)};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	int fd = -1;

	assert_int_equal(recvmsg(w->socket, &m, MSG_CMSG_CLOEXEC), sizeof(*ret));
	if (CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

struct gated {
	struct process_id process;
	int pidfd, gate;
};

static struct gated start(const struct world *w, int64_t run, int order)
{
	struct nursery_request request = {run};
	struct nursery_reply reply;
	struct gated g;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	post(w, &request, sizeof(request), (int[]){order, ends[0]}, 2);
	close(ends[0]);
	close(order);
	g.pidfd = answer(w, &reply);
	g.gate = ends[1];
	g.process = reply.process;
	assert_int_equal(reply.os_errno, 0);
	assert_int_equal(reply.run, run);
	assert_true(g.pidfd >= 0);
	return g;
}

static void open_gate(struct gated *g)
{
	assert_int_equal(write(g->gate, "x", 1), 1);
	close(steal_fd(&g->gate));
}

static void await_end(struct gated *g)
{
	struct pollfd p = {.fd = g->pidfd, .events = POLLIN};

	assert_int_equal(poll(&p, 1, LONG_MS), 1);
	close(steal_fd(&g->pidfd));
	if (g->gate >= 0)
		close(steal_fd(&g->gate));
}

static struct end read_end(const struct world *w, const char *mission)
{
	AUTO(free) char *folder = mem_printf("%s/%s/runs/1", w->missions, mission);
	struct end e = {0};
	struct error err = {0};

	if (end_read(folder, &e, &err) < 0)
		fail_msg("%s", err.message);
	return e;
}

static void assert_reason(const struct world *w, const char *mission, const char *reason)
{
	struct end e = read_end(w, mission);

	assert_string_equal(e.reason, reason);
	end_fini(&e);
}

static void test_gate_opens(void **state)
{
	struct world *w = *state;
	struct gated g = start(w, 42, order_file("mis-gate01", "echo hello"));

	assert_true(process_lives(&g.process));
	assert_int_equal(access(w->missions, F_OK), -1); /* nothing before the gate */
	open_gate(&g);
	await_end(&g);
	assert_false(process_lives(&g.process));
	assert_reason(w, "mis-gate01", "success");
}

static void test_gate_closes(void **state)
{
	struct world *w = *state;
	struct gated g = start(w, 1, order_file("mis-gate02", "touch /tmp/never"));

	close(steal_fd(&g.gate));
	await_end(&g);
	assert_int_equal(access(w->missions, F_OK), -1);
}

/* The daemon is killed: all its descriptors close, and with them the gate and the socket. */
static void test_requester_dies(void **state)
{
	struct world *w = *state;
	struct gated waiting = start(w, 1, order_file("mis-gate03", "true"));
	struct gated running = start(w, 2, order_file("mis-gate04", "sleep 0.3; echo on"));

	open_gate(&running);
	close(steal_fd(&waiting.gate));
	assert_int_equal(end_nursery(w), 0);
	await_end(&waiting);
	await_end(&running);
	assert_reason(w, "mis-gate04", "success");
}

static void test_signal_at_gate(void **state)
{
	struct world *w = *state;
	struct gated g = start(w, 1, order_file("mis-gate05", "echo hello"));
	struct end e;

	kill(g.process.pid, SIGTERM);
	open_gate(&g);
	await_end(&g);
	e = read_end(w, "mis-gate05");
	assert_string_equal(e.reason, "killed");
	assert_true(e.started_at == USEC_NONE);
	end_fini(&e);
}

/* Neither the socket, nor gates of others, nor anything else but the three streams. */
static void test_descriptors(void **state)
{
	struct world *w = *state;
	struct gated other = start(w, 1, order_file("mis-desc01", "true"));
	/* By built-in words alone: a pipeline or a pattern would open some of its own. */
	struct gated g = start(w, 2,
			       order_file("mis-desc02", "i=3; while test $i -lt 100; do "
							"test -e /proc/$$/fd/$i && echo $i; "
							"i=$((i + 1)); done; echo no more"));
	struct end e;

	open_gate(&g);
	await_end(&g);
	e = read_end(w, "mis-desc02");
	assert_string_equal(e.answer, "no more");
	end_fini(&e);
	close(steal_fd(&other.gate));
	await_end(&other);
}

static void test_many(void **state)
{
	enum { MANY = 40 };
	struct world *w = *state;
	struct gated all[MANY];
	char id[MANY][16];

	for (int i = 0; i < MANY; i++) {
		snprintf(id[i], sizeof(id[i]), "mis-many%02d", i);
		all[i] = start(w, i + 1, order_file(id[i], "echo done"));
	}
	for (int i = 0; i < MANY; i++)
		open_gate(&all[i]);
	for (int i = 0; i < MANY; i++) {
		await_end(&all[i]);
		assert_reason(w, id[i], "success");
	}
}

/* clang-format off */
static const struct letter_case {
	const char *name;
	size_t len, fds;
} letter_cases[] = {
	{"letter: short",              3,  2},
	{"letter: long",               64, 2},
	{"letter: no descriptors",     8,  0},
	{"letter: one descriptor",     8,  1},
	{"letter: three descriptors",  8,  3},
	{"letter: eight descriptors",  8,  8},
};
/* clang-format on */

static const struct letter_case *letter_case;
static void test_letter(void **state)
{
	struct world *w = *state;
	struct nursery_reply reply;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fds[8] = {null, null, null, null, null, null, null, null};
	char bytes[64] = {1};
	struct gated g;

	post(w, bytes, letter_case->len, fds, letter_case->fds);
	close(null);
	assert_int_equal(answer(w, &reply), -1);
	assert_int_equal(reply.os_errno, EBADMSG);
	/* It goes on, whatever a terminal sends to the daemon and its children. */
	kill(w->nursery, SIGTERM);
	kill(w->nursery, SIGINT);
	g = start(w, 7, order_file("mis-after1", "true"));
	open_gate(&g);
	await_end(&g);
	assert_reason(w, "mis-after1", "success");
}

static void test_bad_order(void **state)
{
	static const char *const bad[] = {"", "{", "{}", "[1]"};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int fd = memfd_create("order", MFD_CLOEXEC);
		struct gated g;

		assert_int_equal(fd_write_all(fd, bad[i], strlen(bad[i])), 0);
		g = start(w, 1, fd);
		open_gate(&g);
		await_end(&g);
	}
	assert_int_equal(access(w->missions, F_OK), -1);
}

static void test_ring(void **state)
{
	static const size_t steps[] = {1, 3, 7, 8, 11};
	const char *letters = "abcdefghijklmnopqrstuvwxyz";

	(void)state;
	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		struct ring r = {.size = 8};
		size_t put = 0;

		while (put < 26) {
			AUTO_BUF struct buf got = {0};
			size_t room, len = steps[s] < 26 - put ? steps[s] : 26 - put;
			char *space = ring_space(&r, &room);

			if (len > room)
				len = room;
			memcpy(space, letters + put, len);
			put += len;
			r.total += len;
			ring_newest(&r, SIZE_MAX, &got);
			assert_int_equal(got.len, put < 8 ? put : 8);
			assert_memory_equal(got.data, letters + put - got.len, got.len);
			buf_clear(&got);
			ring_newest(&r, 3, &got);
			assert_int_equal(got.len, put < 3 ? put : 3);
			assert_memory_equal(got.data, letters + put - got.len, got.len);
		}
		ring_fini(&r);
	}
}

static void find_own(void *data, struct pid_list *ret)
{
	pid_t own = getpid();

	(void)data;
	tree_below(&(struct pid_list){&own, 1, 1}, ret);
}

static void reap_all(void *data)
{
	(void)data;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* A chain of forks whose middle is gone, in sessions of their own, deaf to what can be refused. */
static _Noreturn void be_chain(int depth, int ready)
{
	for (; depth > 0; depth--) {
		pid_t pid = fork();

		if (pid > 0 && depth % 2)
			_exit(0);
		if (pid > 0)
			break;
		setsid();
	}
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	(void)!write(ready, "x", 1);
	for (;;)
		pause();
}

static void test_tree(void **state)
{
	AUTO_PIDS struct pid_list found = {0};
	struct hunt h = {find_own, reap_all, NULL};
	int ready[2];
	char byte;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	if (fork() == 0)
		be_chain(6, ready[1]);
	for (int i = 0; i < 4; i++)
		assert_int_equal(read(ready[0], &byte, 1), 1);
	find_own(NULL, &found);
	assert_true(found.count >= 4);
	assert_int_equal(tree_hunt(&h, 60 * USEC_PER_SEC), 0);
	reap_all(NULL);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	close(ready[0]);
	close(ready[1]);
}

/* clang-format off */
static const struct { const char *id; bool safe, thread; } ids[] = {
	{"mis-k3f9x2", true}, {"thr-k3f9x2", .thread = true}, {"thr-", false}, {"thr-a/b", false},
	{"thr-..", false}, {"thr", false}, {"mis-", false}, {"mis-a/b", false}, {"mis-..", false}, {"", false},
	{"../mis-a", false}, {"mis-a ", false}, {"MIS-a", false}, {"mis-a\n", false},
};
/* clang-format on */
static void test_ids(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		assert_int_equal(mission_id_is_safe(ids[i].id), ids[i].safe);
		assert_int_equal(thread_id_is_safe(ids[i].id), ids[i].thread);
	}
}

/* clang-format off */
/* "T" is a folder with ours/belfry, linked/belfry (a link to it), other/belfry, plain/belfry (not
 * to be run) and empty/. */
static const struct path_case {
	const char *name, *path;
	bool ours;
} path_cases[] = {
	{"A21: belfry in PATH: ours",                      "T/empty:T/ours:T/other", true},
	{"A21: belfry in PATH: another one first",         "T/other:T/ours",         false},
	{"A21: belfry in PATH: by a link",                 "T/linked",               true},
	{"A21: belfry in PATH: what cannot be run is none", "T/plain:T/ours",        true},
	{"A21: belfry in PATH: nowhere",                   "T/empty:/nonexistent",   false},
	{"A21: belfry in PATH: a relative folder first",   ".:T/ours",               false},
	{"A21: belfry in PATH: an empty folder first",     ":T/ours",                false},
	{"A21: belfry in PATH: a relative folder after",   "T/ours:bin:",            true},
};
/* clang-format on */

static void make_program(const char *root, const char *name, mode_t mode)
{
	AUTO(free) char *folder = mem_printf("%s/%s", root, name);
	AUTO(free) char *file = mem_printf("%s/belfry", folder);
	AUTO_CLOSE int fd = -1;

	assert_int_equal(mkdir(folder, 0700), 0);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	assert_true(fd >= 0);
}

static char *in_root(const char *text, const char *root)
{
	struct buf out = {0};

	for (; *text; text++) {
		if (*text == 'T')
			buf_add_str(&out, root);
		else
			buf_add_char(&out, *text);
	}
	return buf_steal(&out);
}

static void test_path(void **state)
{
	const struct path_case *c = *state;
	char root[] = "/tmp/wrapper-path-XXXXXX";
	struct error err = {0};

	assert_non_null(mkdtemp(root));
	AUTO(free) char *path = in_root(c->path, root);
	AUTO(free) char *program = mem_printf("%s/ours/belfry", root);
	AUTO(free) char *folder = mem_printf("%s/linked", root);
	AUTO(free) char *link = mem_printf("%s/belfry", folder);
	AUTO(free) char *empty = mem_printf("%s/empty", root);
	make_program(root, "ours", 0700);
	make_program(root, "other", 0700);
	make_program(root, "plain", 0600);
	assert_int_equal(mkdir(folder, 0700) | mkdir(empty, 0700) | symlink(program, link), 0);
	assert_int_equal(path_leads_to(path, "belfry", program), c->ours);
	folder_remove(root, &err);
}

/* Deeper than there are descriptors for. */
static void test_remove_deep(void **state)
{
	char root[] = "/tmp/belfry-deep-XXXXXX";
	struct error err = {0};
	int fd;

	(void)state;
	assert_non_null(mkdtemp(root));
	fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 1400; i++) {
		int below;

		assert_int_equal(mkdirat(fd, "d", 0700), 0);
		below = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(below >= 0);
		close(fd);
		fd = below;
	}
	close(fd);
	if (folder_remove(root, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(access(root, F_OK), -1);
}

/* Its room is taken before the agent can fill the disk, and what is too much is given back. */
static void test_end_reserved(void **state)
{
	char root[] = "/tmp/belfry-end-XXXXXX";
	struct end end = {.reason = "success", .answer = (char *)(uintptr_t) "42", .cost = -1}, got;
	AUTO(free) char *path = NULL, *fresh = NULL;
	struct error err = {0};
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(root));
	path = mem_printf("%s/end.json", root);
	fresh = mem_printf("%s.new", path);
	end_reserve(root);
	assert_int_equal(stat(fresh, &st), 0);
	assert_true(st.st_blocks * 512 >= 64 * 1024);
	assert_int_equal(end_write(root, &end, true, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size < 1000);
	assert_int_equal(end_read(root, &got, &err), 0);
	assert_string_equal(got.answer, "42");
	end_fini(&got);
	folder_remove(root, &err);
}

/* An end that an older wrapper wrote has no fields that came later. */
static void test_end_of_before(void **state)
{
	static const char old[] =
		"{\"reason\":\"success\",\"exit_code\":0,\"signal\":0,\"started_at\":1,"
		"\"finished_at\":2,\"answer\":null,\"error\":null,\"session\":\"s1\",\"cost\":-1}";
	char root[] = "/tmp/belfry-end-XXXXXX";
	AUTO(free) char *path = NULL;
	struct error err = {0};
	struct end got;

	(void)state;
	assert_non_null(mkdtemp(root));
	path = mem_printf("%s/end.json", root);
	assert_int_equal(file_write(path, old, strlen(old), &err), 0);
	if (end_read(root, &got, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(got.denied, 0);
	assert_string_equal(got.session, "s1");
	end_fini(&got);
	folder_remove(root, &err);
}

static int set_up_letter(void **state)
{
	letter_case = *state;
	return set_up(state);
}

static void add_world(const char *name, CMUnitTestFunction function)
{
	add_row(name, function, NULL);
	rows[row_count - 1].setup_func = set_up;
	rows[row_count - 1].teardown_func = tear_down;
}

int main(void)
{
	add_world("A15: gate: a byte opens it, nothing is there before", test_gate_opens);
	add_world("A15: gate: its end leaves nothing", test_gate_closes);
	add_world("A15: the requester dies, what runs goes on", test_requester_dies);
	add_world("A15: gate: a signal before it is an end, not a death", test_signal_at_gate);
	add_world("A15: an agent inherits three descriptors", test_descriptors);
	add_world("A15: forty at once", test_many);
	add_world("nursery: an order that is none starts nothing", test_bad_order);
	for (size_t i = 0; i < COUNT_OF(letter_cases); i++) {
		add_world(letter_cases[i].name, test_letter);
		rows[row_count - 1].setup_func = set_up_letter;
		rows[row_count - 1].initial_state = (void *)(uintptr_t)&letter_cases[i];
	}
	add_row("ring: the newest bytes, in order", test_ring, NULL);
	add_row("A16: a tree of daemons is found and ended", test_tree, NULL);
	add_table(test_path, path_cases);
	add_row("ids that are safe in a path", test_ids, NULL);
	add_row("N23 a folder deeper than there are descriptors is removed", test_remove_deep,
		NULL);
	add_row("N8 the room of an end is reserved", test_end_reserved, NULL);
	add_row("N6 the end of an older wrapper can be read", test_end_of_before, NULL);
	return run_rows("wrapper");
}
