// model.mjs: a stand-in for the model behind a real agent, on loopback, without any model.
//
//	node model.mjs LOG      prints its port once it listens; LOG gets one JSON line a request
//
// It speaks just enough of the Messages protocol, streamed and not. Its answer is the list of
// everything the person has said in the conversation so far, so that whoever reads it can tell
// whether the conversation was continued: "heard: FIRST | SECOND".
// "wait SECONDS" as the last thing said delays the answer, "until FILE" does until there is one; "refuse STATUS" is an HTTP error; "run COMMAND" has
// the client run it, as far as it may, and the answer is what came of that: "ran: RESULT"; "Read FILE" likewise, and
// "call TOOL {…}" a tool of an MCP server. In front of these may stand who says it: "[belfry m-xxxxxxxx] wait 5".
// A line of LOG has what was `said` so far, `all` that the client told with it, its `system` prompt; one more
// with `aborted` when the client did not wait for the answer.
import fs from 'node:fs';
import http from 'node:http';

const log = process.argv[2];

// What a client wraps around the person's own words is not what the person said.
const wrapped = /<(system-reminder|environment_context)>[\s\S]*?<\/\1>/g;

function textOf(content) {
  if (typeof content === 'string') return content;
  return content.filter((part) => part.type === 'text').map((part) => part.text).join('\n');
}

// A client puts what was said in a row into one message, as a part each.
function partsOf(content) {
  return typeof content === 'string' ? [content] : content.filter((part) => part.type === 'text').map((part) => part.text);
}

function saidBy(request) {
  return request.messages
    .filter((message) => message.role === 'user')
    .flatMap((message) => partsOf(message.content))
    .map((text) => text.replace(wrapped, '').trim())
    .filter((text) => text !== '');
}

// What is to be done: the first line that says so in the last thing said.
function toldBy(request, verb) {
  const said = saidBy(request);
  return (said[said.length - 1] ?? '').match(new RegExp(`^(?:\\[belfry [^\\]]*\\] )?${verb} (.+)$`, 'm'))?.[1];
}

// What came of the command, when that is the last thing the client told.
function resultOf(request) {
  const content = request.messages.filter((message) => message.role === 'user').pop()?.content;
  const result = Array.isArray(content) && content.find((part) => part.type === 'tool_result');
  return result ? textOf(result.content ?? '') : undefined;
}

// One block of content: a text, or a command or a tool to run.
function blockFor(request) {
  const said = saidBy(request);
  const result = resultOf(request);
  const command = toldBy(request, 'run');
  const file = toldBy(request, 'Read');
  const [, tool, input] = toldBy(request, 'call')?.match(/^(\S+) (.+)$/) ?? [];
  if (result !== undefined) return { type: 'text', text: `ran: ${result}` };
  if (tool) return { type: 'tool_use', id: `toolu_${Date.now()}`, name: tool, input: JSON.parse(input) };
  if (file) return { type: 'tool_use', id: `toolu_${Date.now()}`, name: 'Read', input: { file_path: file } };
  if (!command) return { type: 'text', text: `heard: ${said.join(' | ')}` };
  return {
    type: 'tool_use', id: `toolu_${Date.now()}`, name: 'Bash',
    input: { command, description: 'as told' },
  };
}

function message(block) {
  return {
    id: `msg_${Date.now()}`, type: 'message', role: 'assistant', model: 'stand-in',
    content: [block], stop_reason: block.type === 'tool_use' ? 'tool_use' : 'end_turn', stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
}

function* events(block) {
  const whole = message(block);
  const [empty, delta] = block.type === 'text'
    ? [{ ...block, text: '' }, { type: 'text_delta', text: block.text }]
    : [{ ...block, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  yield ['message_start', { message: { ...whole, content: [], stop_reason: null } }];
  yield ['content_block_start', { index: 0, content_block: empty }];
  yield ['content_block_delta', { index: 0, delta }];
  yield ['content_block_stop', { index: 0 }];
  yield ['message_delta', { delta: { stop_reason: whole.stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } }];
  yield ['message_stop', {}];
}

function answer(request, response) {
  const block = blockFor(request);
  if (!request.stream) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(message(block)));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  for (const [type, body] of events(block)) {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`);
  }
  response.end();
}

function note(line) {
  fs.appendFileSync(log, `${JSON.stringify(line)}\n`);
}

async function serve(body, response) {
  const request = JSON.parse(body);
  const said = saidBy(request);
  const all = JSON.stringify(request.messages.filter((message) => message.role !== 'assistant'));
  const refuse = toldBy(request, 'refuse');
  const wait = toldBy(request, 'wait');
  const until = toldBy(request, 'until');
  note({ said, all, system: JSON.stringify(request.system ?? '') });
  response.on('close', () => { if (!response.writableFinished) note({ said, aborted: true }); });
  if (refuse) {
    response.statusCode = Number(refuse);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: 'refused as asked' } }));
    return;
  }
  while (until && !fs.existsSync(until)) await new Promise((resolve) => { setTimeout(resolve, 50); });
  if (wait) await new Promise((resolve) => { setTimeout(resolve, Number(wait) * 1000); });
  answer(request, response);
}

const server = http.createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.method === 'POST' && /\/v1\/messages(\?|$)/.test(request.url)) {
    await serve(body, response);
    return;
  }
  response.statusCode = 404;
  response.end('{}');
});
server.listen(0, '127.0.0.1', () => { console.log(server.address().port); });
