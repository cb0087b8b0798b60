const { PerformanceObserver } = require('node:perf_hooks');

// A connected observer keeps the metrics of its service in memory; prom-client never disconnects its own.
const { prototype } = PerformanceObserver;
const { observe } = prototype;
const observers = [];
prototype.observe = function (options) {
  observers.push(this);
  return observe.call(this, options);
};

afterAll(() => {
  prototype.observe = observe;
  for (const observer of observers) observer.disconnect();
});
