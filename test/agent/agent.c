/*
 * agent.c: test-agent, an agent whose script is its prompt.
 *
 * It is a stand-in for claude, as far as a scheduler can see one: the same options, the same rules
 * for conversations, the same JSON, the same answers to signals. The prompt is its last argument, or
 * standard input when there is none; one directive a line, any other line is said back ("echo: …").
 *
 *	say TEXT          on standard output, or in the JSON's "result"
 *	err TEXT          on standard error
 *	sleep SECONDS     fractions are fine
 *	exit N            now; N other than 0 makes is_error true
 *	fail TEXT         is_error true, TEXT is said, and the status at the end is 1
 *	signal N          to itself, with the signal's own effect
 *	ignore SIGNAL…    INT TERM HUP or numbers, from here on
 *	fork SECONDS      leave a child behind that sleeps; it holds the output open
 *	daemon SECONDS    the same, but out of the group and session, without output, deaf to
 *	                  TERM, INT and HUP
 *	flood BYTES       so many bytes are said, in lines of 80
 *	raw TEXT          on standard output at once, whatever the format
 *	close             no more output: both are closed, the script goes on
 *	env NAME          says NAME=VALUE, or "NAME is not set"
 *	cwd               says where it runs
 *	args              says its arguments, one a line
 *	prompt            says "prompt CRC LENGTH", as cksum(1) prints them for the same bytes
 *	write FILE TEXT   append a line
 *	mark FILE         append "start PID ATTEMPT TIME" now and "end PID ATTEMPT TIME" at the end,
 *	                  however it comes but for SIGKILL; ATTEMPT is BELFRY_ATTEMPT, TIME in µs
 *	message TEXT      belfry message send TEXT, by the `belfry` that PATH has; \n in TEXT is a new
 *	                  line. When it fails so does the agent, and says the status
 *	ask TEXT          the same with --ask
 *	shell COMMAND     sh -c COMMAND: its output is said, and its status when it is not 0
 *	recall            says all user turns of the conversation, "turn N: TEXT" each
 *	cost DOLLARS      total_cost_usd of this turn; 0.0125 unless told
 *
 * Options: -p, --output-format text|json, --session-id UUID (refused when it exists), --resume UUID
 * (refused when it does not), --, and a few of claude's with a value, which mean nothing here.
 * Without -p on a terminal it goes on reading turns, one a line, until end-of-file.
 * Conversations are files of JSON lines, $TEST_AGENT_HOME/UUID.jsonl (else $HOME/.test-agent/). The
 * user's turn is written before anything is done, so it is kept when the agent is killed.
 * SIGINT: "Execution error", status 0. SIGTERM: 143. SIGHUP: 129.
 *
 * It stands on nothing of Belfry's, and is built without sanitizers: it dies as told.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UUID_LEN 36
#define MARKS_MAX 8

struct text {
	char *data;
	size_t len;
};

static struct agent {
	bool print, json, resume, failed;
	const char *session; /* NULL: this conversation is not kept */
	char new_session[UUID_LEN + 1];
	char history[PATH_MAX];
	struct text prompt, result;
	double cost;
	int argc;
	char **argv;
	char marks[MARKS_MAX][PATH_MAX];
	int mark_count;
	pid_t pid;
} agent = {.cost = 0.0125};

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vdprintf(STDERR_FILENO, fmt, ap);
	va_end(ap);
	_exit(1);
}

static void write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}

static void text_add(struct text *t, const char *bytes, size_t len)
{
	t->data = realloc(t->data, t->len + len + 1);
	if (!t->data)
		die("out of memory\n");
	memcpy(t->data + t->len, bytes, len);
	t->len += len;
	t->data[t->len] = '\0';
}

/* In JSON the answer is gathered, else it goes out as it is said. */
static void say_bytes(const char *bytes, size_t len)
{
	text_add(&agent.result, bytes, len);
	if (!agent.json)
		write_all(STDOUT_FILENO, bytes, len);
}

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	char *line = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("out of memory\n");
	say_bytes(line, (size_t)n);
	say_bytes("\n", 1);
	free(line);
}

static void append(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0)
		die("cannot open '%s': %s\n", path, strerror(errno));
	write_all(fd, bytes, len);
	close(fd);
}

/* Also called from signal handlers; one write, so that lines of several agents do not mix. */
static void write_mark(const char *what, const char *path)
{
	const char *attempt = getenv("BELFRY_ATTEMPT");
	struct timespec now;
	char line[128];
	int len;

	clock_gettime(CLOCK_REALTIME, &now);
	len = snprintf(line, sizeof(line), "%s %d %s %" PRId64 "\n", what, (int)getpid(),
		       attempt ? attempt : "-", (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	append(path, line, (size_t)len);
}

/* The marks are the agent's own: a child of it that is told to end before it is deaf has none. */
static void write_end_marks(void)
{
	if (getpid() != agent.pid)
		return;
	while (agent.mark_count)
		write_mark("end", agent.marks[--agent.mark_count]);
}

static void on_signal(int signal_number)
{
	static const char interrupted[] = "Execution error\n";

	write_end_marks();
	if (signal_number == SIGINT) {
		write_all(STDOUT_FILENO, interrupted, sizeof(interrupted) - 1);
		_exit(0);
	}
	_exit(128 + signal_number);
}

/* ---- conversations ---- */

static bool is_uuid(const char *text)
{
	for (size_t i = 0; i < UUID_LEN; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	return text[UUID_LEN] == '\0';
}

static void choose_session(void)
{
	unsigned char r[16];

	if (getrandom(r, sizeof(r), 0) != sizeof(r))
		die("no random numbers\n");
	snprintf(agent.new_session, sizeof(agent.new_session),
		 "%02x%02x%02x%02x-%02x%02x-4%01x%02x-a%01x%02x-%02x%02x%02x%02x%02x%02x", r[0],
		 r[1], r[2], r[3], r[4], r[5], r[6] & 15, r[7], r[8] & 15, r[9], r[10], r[11],
		 r[12], r[13], r[14], r[15]);
	agent.session = agent.new_session;
}

static void set_history_path(void)
{
	const char *own = getenv("TEST_AGENT_HOME"), *home = getenv("HOME");
	char folder[PATH_MAX - 64];

	snprintf(folder, sizeof(folder), "%s%s",
		 own	? own
		 : home ? home
			: "/tmp",
		 own ? "" : "/.test-agent");
	mkdir(folder, 0700);
	snprintf(agent.history, sizeof(agent.history), "%s/%s.jsonl", folder, agent.session);
}

static void open_session(void)
{
	int fd;

	if (agent.session && !is_uuid(agent.session))
		die("Error: Invalid session ID. Must be a valid UUID.\n");
	if (!agent.session && !agent.print)
		return;
	if (!agent.session)
		choose_session();
	set_history_path();
	if (agent.resume) {
		if (access(agent.history, R_OK) < 0)
			die("No conversation found with session ID: %s\n", agent.session);
		return;
	}
	fd = open(agent.history, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		die("Error: Session ID %s is already in use.\n", agent.session);
	if (fd < 0)
		die("cannot make '%s': %s\n", agent.history, strerror(errno));
	close(fd);
}

static void remember(const char *role, const struct text *content)
{
	json_t *turn;
	char *line;

	if (!agent.session)
		return;
	turn = json_pack("{s:s, s:s%}", "role", role, "content", content->data ? content->data : "",
			 content->len);
	line = turn ? json_dumps(turn, JSON_COMPACT) : NULL;
	if (!line)
		die("the prompt is not UTF-8\n");
	append(agent.history, line, strlen(line));
	append(agent.history, "\n", 1);
	free(line);
	json_decref(turn);
}

/* ---- the end ---- */

static void print_result(int status)
{
	bool is_error = agent.failed || status != 0;
	json_t *o =
		json_pack("{s:s, s:s, s:b, s:s, s:s%, s:i, s:i, s:f, s:{s:i, s:i}, s:{}, s:[], "
			  "s:s, s:s}",
			  "type", "result", "subtype", "success", "is_error", (int)is_error,
			  "session_id", agent.session ? agent.session : "", "result",
			  agent.result.data ? agent.result.data : "", agent.result.len, "num_turns",
			  1, "duration_ms", 1, "total_cost_usd", agent.cost, "usage",
			  "input_tokens", 1, "output_tokens", 1, "modelUsage", "permission_denials",
			  "terminal_reason", "completed", "stop_reason", "end_turn");
	char *line = o ? json_dumps(o, JSON_COMPACT) : NULL;

	if (!line)
		die("cannot write the result: it is not UTF-8\n");
	write_all(STDOUT_FILENO, line, strlen(line));
	write_all(STDOUT_FILENO, "\n", 1);
	free(line);
	json_decref(o);
}

__attribute__((noreturn)) static void finish(int status)
{
	/* As the real one: the last line of an answer has no newline in it. */
	if (agent.json && agent.result.len)
		agent.result.len--;
	remember("assistant", &agent.result);
	if (agent.json)
		print_result(status);
	write_end_marks();
	_exit(status);
}

/* ---- directives ---- */

static void do_say(char *rest)
{
	say("%s", rest);
}

static void do_err(char *rest)
{
	dprintf(STDERR_FILENO, "%s\n", rest);
}

static void do_raw(char *rest)
{
	dprintf(STDOUT_FILENO, "%s\n", rest);
}

static void sleep_for(const char *seconds)
{
	double s = strtod(seconds, NULL);
	struct timespec left = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static void do_sleep(char *rest)
{
	sleep_for(rest);
}

static void do_exit(char *rest)
{
	finish((int)strtol(rest, NULL, 10));
}

static void do_fail(char *rest)
{
	agent.failed = true;
	say("%s", rest);
}

static int signal_of(const char *word)
{
	static const struct {
		const char *name;
		int number;
	} names[] = {{"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}};

	if (strncmp(word, "SIG", 3) == 0)
		word += 3;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].name, word) == 0)
			return names[i].number;
	return (int)strtol(word, NULL, 10);
}

static void do_signal(char *rest)
{
	int number = signal_of(rest);

	signal(number, SIG_DFL);
	raise(number);
}

static void do_ignore(char *rest)
{
	for (char *word = strtok(rest, " "); word; word = strtok(NULL, " "))
		signal(signal_of(word), SIG_IGN);
}

static void do_fork(char *rest)
{
	if (fork() != 0)
		return;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sleep_for(rest);
	_exit(0);
}

static void drop_output(void)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

static void do_daemon(char *rest)
{
	pid_t child = fork();

	if (child > 0)
		return;
	/* A session of its own, and no parent: the process group does not reach it any more. */
	setsid();
	if (fork() != 0)
		_exit(0);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	drop_output();
	for (int fd = STDERR_FILENO + 1; fd < 256; fd++)
		close(fd);
	close(STDIN_FILENO);
	sleep_for(rest);
	_exit(0);
}

static void do_flood(char *rest)
{
	size_t left = strtoull(rest, NULL, 10);
	char line[80];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	while (left) {
		size_t n = left < sizeof(line) ? left : sizeof(line);

		if (agent.json)
			text_add(&agent.result, line, n);
		else
			write_all(STDOUT_FILENO, line, n);
		left -= n;
	}
}

static void do_close(char *rest)
{
	(void)rest;
	drop_output();
}

static void do_env(char *rest)
{
	const char *value = getenv(rest);

	if (value)
		say("%s=%s", rest, value);
	else
		say("%s is not set", rest);
}

static void do_cwd(char *rest)
{
	char path[PATH_MAX];

	(void)rest;
	say("%s", getcwd(path, sizeof(path)) ? path : strerror(errno));
}

static void do_args(char *rest)
{
	(void)rest;
	for (int i = 1; i < agent.argc; i++)
		say("%s", agent.argv[i]);
}

/* The CRC of POSIX cksum: most significant bit first, the length after the bytes, inverted. */
static uint32_t crc_add(uint32_t crc, unsigned char byte)
{
	crc ^= (uint32_t)byte << 24;
	for (int bit = 0; bit < 8; bit++)
		crc = crc & 0x80000000u ? crc << 1 ^ 0x04c11db7u : crc << 1;
	return crc;
}

static void do_prompt(char *rest)
{
	uint32_t crc = 0;

	(void)rest;
	for (size_t i = 0; i < agent.prompt.len; i++)
		crc = crc_add(crc, (unsigned char)agent.prompt.data[i]);
	for (size_t len = agent.prompt.len; len; len >>= 8)
		crc = crc_add(crc, len & 0xff);
	say("prompt %" PRIu32 " %zu", ~crc, agent.prompt.len);
}

static void do_write(char *rest)
{
	char *text = strchr(rest, ' ');
	struct text line = {0};

	if (text)
		*text++ = '\0';
	else
		text = rest + strlen(rest);
	text_add(&line, text, strlen(text));
	text_add(&line, "\n", 1);
	append(rest, line.data, line.len);
	free(line.data);
}

static void do_mark(char *rest)
{
	if (agent.mark_count == MARKS_MAX)
		die("too many marks\n");
	snprintf(agent.marks[agent.mark_count], PATH_MAX, "%s", rest);
	write_mark("start", rest);
	agent.mark_count++;
}

static void do_recall(char *rest)
{
	FILE *file = agent.session ? fopen(agent.history, "re") : NULL;
	json_t *turn;
	int n = 0;

	(void)rest;
	while (file && (turn = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
		const char *content = json_string_value(json_object_get(turn, "content"));

		if (strcmp(json_string_value(json_object_get(turn, "role")), "user") == 0)
			say("turn %d: %s", ++n, content);
		json_decref(turn);
	}
	if (file)
		fclose(file);
}

/* Its output in *ret, its status as a shell tells it. */
static int run_program(char *const argv[], struct text *ret)
{
	char chunk[4096];
	int ends[2], status;
	pid_t pid;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		die("cannot start '%s': %s\n", argv[0], strerror(errno));
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		dup2(ends[1], STDOUT_FILENO);
		execvp(argv[0], argv);
		dprintf(STDERR_FILENO, "cannot start '%s': %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(ends[1]);
	while ((n = read(ends[0], chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR))
		text_add(ret, chunk, n > 0 ? (size_t)n : 0);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void break_lines(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] == 'n') {
			*to++ = '\n';
			text++;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

static void send_message(char *text, bool ask)
{
	char *argv[] = {(char *)"belfry",
			(char *)"message",
			(char *)"send",
			(char *)"--",
			text,
			NULL,
			NULL};
	struct text unused = {0};
	int status;

	break_lines(text);
	if (ask) {
		argv[3] = (char *)"--ask";
		argv[4] = (char *)"--";
		argv[5] = text;
	}
	status = run_program(argv, &unused);
	free(unused.data);
	if (status == 0)
		return;
	agent.failed = true;
	say("belfry message send: status %d", status);
}

static void do_message(char *rest)
{
	send_message(rest, false);
}

static void do_ask(char *rest)
{
	send_message(rest, true);
}

static void do_shell(char *rest)
{
	char *argv[] = {(char *)"sh", (char *)"-c", rest, NULL};
	struct text output = {0};
	int status = run_program(argv, &output);

	if (output.len)
		say_bytes(output.data, output.len);
	if (status != 0)
		say("status %d", status);
	free(output.data);
}

static void do_cost(char *rest)
{
	agent.cost = strtod(rest, NULL);
}

static const struct {
	const char *word;
	void (*run)(char *rest);
} directives[] = {
	{"say", do_say},     {"err", do_err},	    {"raw", do_raw},	     {"sleep", do_sleep},
	{"exit", do_exit},   {"fail", do_fail},	    {"signal", do_signal},   {"ignore", do_ignore},
	{"fork", do_fork},   {"daemon", do_daemon}, {"flood", do_flood},     {"close", do_close},
	{"env", do_env},     {"cwd", do_cwd},	    {"args", do_args},	     {"prompt", do_prompt},
	{"write", do_write}, {"mark", do_mark},	    {"recall", do_recall},   {"cost", do_cost},
	{"ask", do_ask},     {"shell", do_shell},   {"message", do_message},
};

static void obey(char *line)
{
	size_t len = strcspn(line, " ");

	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
		if (strlen(directives[i].word) != len ||
		    strncmp(directives[i].word, line, len) != 0)
			continue;
		directives[i].run(line + len + (line[len] == ' '));
		return;
	}
	if (*line)
		say("echo: %s", line);
}

static void run_turn(void)
{
	char *script = agent.prompt.data ? strdup(agent.prompt.data) : NULL, *rest = script, *line;

	remember("user", &agent.prompt);
	while ((line = strsep(&rest, "\n")))
		obey(line);
	free(script);
}

/* ---- the command line ---- */

/* Options of claude's that take a value and mean nothing here. */
static bool has_value(const char *option)
{
	static const char *const options[] = {"--model",	   "--settings",   "--allowedTools",
					      "--permission-mode", "--mcp-config", "--add-dir"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(options[i], option) == 0)
			return true;
	return false;
}

static const char *value_of(int *i)
{
	if (*i + 1 >= agent.argc)
		die("error: option '%s' argument missing\n", agent.argv[*i]);
	return agent.argv[++*i];
}

static void read_option(int *i)
{
	const char *option = agent.argv[*i];

	if (strcmp(option, "-p") == 0 || strcmp(option, "--print") == 0) {
		agent.print = true;
	} else if (strcmp(option, "--output-format") == 0) {
		agent.json = strcmp(value_of(i), "json") == 0;
	} else if (strcmp(option, "--session-id") == 0) {
		agent.session = value_of(i);
	} else if (strcmp(option, "--resume") == 0 || strcmp(option, "-r") == 0) {
		agent.session = value_of(i);
		agent.resume = true;
	} else if (has_value(option)) {
		value_of(i);
	} else {
		die("error: unknown option '%s'\n", option);
	}
}

static void read_stdin(void)
{
	char chunk[65536];
	ssize_t n;

	while ((n = read(STDIN_FILENO, chunk, sizeof(chunk))) > 0)
		text_add(&agent.prompt, chunk, (size_t)n);
	if (n < 0)
		die("cannot read the prompt: %s\n", strerror(errno));
}

static void read_arguments(void)
{
	const char *prompt = NULL;
	bool options = true;

	for (int i = 1; i < agent.argc; i++) {
		if (options && strcmp(agent.argv[i], "--") == 0)
			options = false;
		else if (options && agent.argv[i][0] == '-' && agent.argv[i][1])
			read_option(&i);
		else
			prompt = agent.argv[i];
	}
	if (prompt)
		text_add(&agent.prompt, prompt, strlen(prompt));
	else if (agent.print || !isatty(STDIN_FILENO))
		read_stdin();
}

/* The rest of a terminal session: every line is a turn. */
static void converse(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, stdin)) > 0) {
		agent.prompt.len = 0;
		text_add(&agent.prompt, line, (size_t)(line[n - 1] == '\n' ? n - 1 : n));
		run_turn();
	}
	free(line);
}

static void listen_for(int signal_number)
{
	struct sigaction on = {.sa_handler = on_signal};

	sigemptyset(&on.sa_mask);
	sigaddset(&on.sa_mask, SIGINT);
	sigaddset(&on.sa_mask, SIGTERM);
	sigaddset(&on.sa_mask, SIGHUP);
	sigaction(signal_number, &on, NULL);
}

int main(int argc, char **argv)
{
	agent.pid = getpid();
	agent.argc = argc;
	agent.argv = argv;
	signal(SIGPIPE, SIG_IGN);
	listen_for(SIGINT);
	listen_for(SIGTERM);
	listen_for(SIGHUP);
	read_arguments();
	if (agent.print && agent.prompt.len == 0)
		die("Error: Input must be provided either through stdin or as a prompt argument "
		    "when using --print\n");
	open_session();
	if (agent.prompt.len)
		run_turn();
	if (!agent.print && isatty(STDIN_FILENO))
		converse();
	finish(agent.failed ? 1 : 0);
}
