// Loaded into the service before dist/main.js. `GET /` on its port returns the figures of main-thread-turns.cjs since the last `GET /`.
const { writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { measureTurns } = require('./main-thread-turns.cjs');

const takeTurns = measureTurns();

const server = createServer((_, response) => {
  response.end(JSON.stringify(takeTurns()));
});
server.listen(0, '127.0.0.1', () => {
  writeFileSync(process.env.TURN_METER_FILE, String(server.address().port));
});
server.unref();
