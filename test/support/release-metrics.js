const perfHooks = require('node:perf_hooks');

const SHARED = Symbol.for('shared event loop monitor');

// What prom-client observes for a service it never releases. A connected observer keeps the metrics of its service in memory.
const { prototype } = perfHooks.PerformanceObserver;
const { observe } = prototype;
const observers = [];
prototype.observe = function (options) {
  observers.push(this);
  return observe.call(this, options);
};

// Node never frees a monitor of the event loop, which wakes a hundred times a second: all services share one.
if (!perfHooks[SHARED]) {
  perfHooks[SHARED] = perfHooks.monitorEventLoopDelay();
  perfHooks.monitorEventLoopDelay = () => perfHooks[SHARED];
}

afterAll(() => {
  prototype.observe = observe;
  for (const observer of observers) observer.disconnect();
});
