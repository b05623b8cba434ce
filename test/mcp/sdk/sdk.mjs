// The official SDK as a client of Belfry, over either transport.
//
//   import { connect } from './sdk.mjs';
//   const client = await connect('http');       // or 'stdio'
//   await client.callTool({ name: 'reminder', arguments: { action: 'list' } });
//
// What it connects to is in the environment: BELFRY_BIN and BELFRY_HOME for stdio (BELFRY_MCP_ARGS: further
// arguments of `belfry mcp`, a JSON array); BELFRY_MCP_URL and BELFRY_MCP_TOKEN for http (BELFRY_MCP_SESSION: the
// header Belfry-Session). BELFRY_MCP_CLIENTS is the folder the SDK is installed in.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(`${process.env.BELFRY_MCP_CLIENTS}/`).href);
const sdk = (path) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)).href);

async function stdio({ args }) {
  const { StdioClientTransport } = await sdk('client/stdio.js');
  return new StdioClientTransport({
    command: process.env.BELFRY_BIN,
    args: ['mcp', ...(args ?? JSON.parse(process.env.BELFRY_MCP_ARGS ?? '[]'))],
    env: process.env, // the SDK would pass on only a few of them
    stderr: 'inherit',
  });
}

async function http({ token = process.env.BELFRY_MCP_TOKEN, session = process.env.BELFRY_MCP_SESSION }) {
  const { StreamableHTTPClientTransport } = await sdk('client/streamableHttp.js');
  const headers = { Authorization: `Bearer ${token}` };
  if (session) headers['Belfry-Session'] = session;
  return new StreamableHTTPClientTransport(new URL(process.env.BELFRY_MCP_URL), { requestInit: { headers } });
}

const transports = { stdio, http };

// `options`, in place of the environment: args, token, session.
export async function connect(name, options = {}) {
  const { Client } = await sdk('client/index.js');
  const client = new Client({ name: 'claude-code', version: '1' }); // one that has hooks
  const transport = await transports[name](options);
  await client.connect(transport);
  client.pid = transport.pid; // of a server on stdio
  // It checks answers against the output schemas that it has seen.
  await client.listTools();
  // A session of HTTP is ended, not left behind.
  const close = client.close.bind(client);
  client.close = async () => {
    await transport.terminateSession?.();
    await close();
  };
  return client;
}

// The validator the SDK brings.
export async function validator() {
  const { default: Ajv } = await import(pathToFileURL(require.resolve('ajv/dist/2020.js')).href);
  const { default: formats } = await import(pathToFileURL(require.resolve('ajv-formats')).href);
  const ajv = new (Ajv.default ?? Ajv)({ strict: true, allErrors: true });
  (formats.default ?? formats)(ajv);
  return ajv;
}
