// Loaded into each process of the service before dist/main.js. Its host has another clock: by up to half of the skew, early or late.
const skewMs = Math.round((Math.random() - 0.5) * Number(process.env.CHAOS_SKEW_MS));
const SystemDate = Date;

class SkewedDate extends SystemDate {
  constructor(...values) {
    if (values.length === 0) super(SystemDate.now() + skewMs);
    else super(...values);
  }

  static now() {
    return SystemDate.now() + skewMs;
  }
}

if (skewMs !== 0) {
  globalThis.Date = SkewedDate;
  process.stdout.write(`Chaos: the clock differs by ${skewMs} ms\n`);
}
