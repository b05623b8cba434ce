// converse.mjs: a conversation with one process of Claude Code, prompt by prompt.
//
//	node converse.mjs PROMPT... -- COMMAND...
//
// Each prompt is sent when the one before it has been answered; the answers are printed, a JSON text a line.
import { spawn } from 'node:child_process';
import readline from 'node:readline';

const end = process.argv.indexOf('--');
const prompts = process.argv.slice(2, end);
const [command, ...args] = process.argv.slice(end + 1);
const client = spawn(command, [...args, '-p', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'],
  { stdio: ['pipe', 'pipe', 'inherit'] });

function say() {
  const text = prompts.shift();
  if (text === undefined) client.stdin.end();
  else client.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } })}\n`);
}

readline.createInterface({ input: client.stdout }).on('line', (line) => {
  const told = JSON.parse(line);
  if (told.type !== 'result') return;
  console.log(JSON.stringify(told.result ?? ''));
  say();
});
client.on('close', (code) => { process.exitCode = prompts.length ? 1 : code; });
say();
