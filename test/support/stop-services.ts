import { runningServices } from './running-services';

// A test that fails leaves its services, whose timers would go on beside the next spec files of this worker.
afterAll(async () => {
  for (const service of [...runningServices].reverse()) await service.stop();
});
