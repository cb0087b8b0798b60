// Loaded into each process of the service before dist/main.js. Moves its clock ahead by the milliseconds in a file.
const { readFileSync } = require('node:fs');
const { ClockModule } = require('../../../dist/common/clock.js');

const FILE = process.env.CHAOS_CLOCK_FILE;
const READ_INTERVAL_MS = 250;

let aheadMs = 0;
function read() {
  aheadMs = Number(readFileSync(FILE, 'utf8'));
}
read();
setInterval(read, READ_INTERVAL_MS).unref();

const [{ useClass: SystemClock }] = Reflect.getMetadata('providers', ClockModule);
SystemClock.prototype.now = () => new Date(Date.now() + aheadMs);
