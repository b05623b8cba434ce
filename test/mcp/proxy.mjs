// A proxy on loopback that adds a bearer token and changes nothing else: the conformance suite has no way to
// send one. usage: proxy.mjs URL TOKEN   prints its own port, and ends when its standard input does.
import http from 'node:http';

const [target, token] = [new URL(process.argv[2]), process.argv[3]];

const server = http.createServer((req, res) => {
  const on = http.request(
    {
      host: target.hostname,
      port: target.port,
      method: req.method,
      path: req.url,
      // Host and Origin are the client's own: what becomes of them is under test.
      headers: { ...req.headers, authorization: `Bearer ${token}` },
      setHost: false,
    },
    (answer) => {
      res.writeHead(answer.statusCode, answer.headers);
      answer.pipe(res);
    },
  );
  on.on('error', () => res.destroy());
  res.on('close', () => on.destroy());
  req.pipe(on);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
