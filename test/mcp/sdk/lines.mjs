// The SDK for shell scripts: a line of JSON in, a line of JSON out, over one connection unless they name others.
// usage: lines.mjs stdio|http
//
//   {"tool":"reminder","args":{"action":"list"}}   -> the result: {"content":[…],"structuredContent":{…}}
//   {"list":"tools"}                               -> {"tools":[…]}
//   {"schemas":true}                               -> what is wrong with the tools' schemas: {"wrong":[…],"count":20}
//   {"join":"bob","transport":"http","token":…}     -> one more connection: {"pid":…}; its options are sdk.mjs's
//   {"as":"bob","tool":…}                          -> over that one
//   {"later":true,"tool":…}                        -> {"sent":true}; its answer is not waited for
//   {"request":{"method":…,"params":…}}            -> any request, as it is
//
// A protocol error is {"rpc_error":{"code":…,"message":…}}. The end of standard input ends it.
import readline from 'node:readline';
import { connect, validator } from './sdk.mjs';

// Each schema has to compile, and say what it may be given.
async function schemas(client) {
  const { tools } = await client.listTools();
  const wrong = [];
  for (const tool of tools) {
    for (const key of ['inputSchema', 'outputSchema']) {
      try {
        (await validator()).compile(tool[key]);
        if (tool[key].type !== 'object') throw new Error('its type is not object');
      } catch (error) {
        wrong.push(`${tool.name}: ${key}: ${error.message}`);
      }
    }
    if (tool.inputSchema.additionalProperties !== false) wrong.push(`${tool.name}: takes unknown arguments`);
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'])
      if (typeof tool.annotations?.[hint] !== 'boolean') wrong.push(`${tool.name}: has no ${hint}`);
    if (!tool.title || !tool.description) wrong.push(`${tool.name}: has no title or description`);
  }
  return { wrong, count: tools.length };
}

const clients = { main: await connect(process.argv[2]) };

async function join(line) {
  clients[line.join] = await connect(line.transport, line);
  return { pid: clients[line.join].pid };
}

async function send(client, line) {
  client.callTool({ name: line.tool, arguments: line.args }).catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  return { sent: true };
}

async function ask(line) {
  const client = clients[line.as ?? 'main'];
  if (line.join) return join(line);
  if (line.later) return send(client, line);
  if (line.tool) return client.callTool({ name: line.tool, arguments: line.args ?? {} });
  if (line.list === 'tools') return client.listTools();
  if (line.schemas) return schemas(client);
  if (line.request) return client.request(line.request, { parse: (result) => result, safeParse: (data) => ({ success: true, data }) });
  throw new Error(`nothing is asked: ${JSON.stringify(line)}`);
}

for await (const text of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = await ask(JSON.parse(text));
  } catch (error) {
    answer = { rpc_error: { code: error.code, message: error.message } };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
for (const client of Object.values(clients)) await client.close().catch(() => {});
