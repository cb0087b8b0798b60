const { createServer } = require('node:http');
const { join } = require('node:path');

/** Answers the requests of the benchmark (process-control.ts) on a socket in the working folder, by path. */
exports.answerRequests = (answers) => {
  const server = createServer((request, response) => {
    Promise.resolve(answers[request.url]?.()).then(
      (answer) => response.end(JSON.stringify(answer ?? null)),
      (failure) => response.writeHead(500).end(String(failure)),
    );
  });
  server.listen(join(process.cwd(), `${process.pid}.sock`));
  server.unref();
};
