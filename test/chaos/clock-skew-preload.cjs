// Loaded into each process of the service before dist/main.js. Its host has another clock: by up to half of the skew, early or late.
const skewMs = Math.round((Math.random() - 0.5) * Number(process.env.CHAOS_SKEW_MS));

// A subclass would have another prototype, by which Mongoose knows dates.
const SkewedDate = new Proxy(Date, {
  construct: (date, values) => (values.length === 0 ? new date(date.now() + skewMs) : new date(...values)),
  get: (date, name) => (name === 'now' ? () => date.now() + skewMs : Reflect.get(date, name)),
});

if (skewMs !== 0) {
  globalThis.Date = SkewedDate;
  process.stdout.write(`Chaos: the clock differs by ${skewMs} ms\n`);
}
