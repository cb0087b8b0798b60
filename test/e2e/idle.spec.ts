import { Activity } from '../../src/infrastructure/sweeps/activity.service';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestClock } from '../support/test-clock';
import { TestService } from '../support/service';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('an installation in which nothing happens', () => {
  let service: TestService;
  let other: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start();
    other = await TestService.start({ shared: service, clock: new TestClock() });
    client = await service.newAccount();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const isActive = (each: TestService) => each.get(Activity).isActive;
  const rest = () => {
    for (const { clock } of [service, other]) clock.skip(2 * MINUTE);
  };

  it('is noticed by each process, and all learn when somebody calls one of them', async () => {
    const device = await client.newDevice();
    rest();
    expect([isActive(service), isActive(other)]).toEqual([false, false]);
    await client.get('/gateway/devices').expect(200);
    expect(isActive(service)).toBe(true);
    await eventually(() => isActive(other), Boolean);
    rest();
    await client.post(`/gateway/devices/${device}/heartbeat`, {}).expect(200);
    expect(isActive(service)).toBe(true);
  });

  it('still ends a message at its deadline', async () => {
    // Its stream is not open, so the message waits.
    const device = await client.registerDevice();
    const batch = await client.send(['+4915112345678'], { deviceId: device, validForSeconds: 90 });
    jest.spyOn(service.get(Activity), 'isActive', 'get').mockReturnValue(false);
    service.clock.advance(MINUTE);
    const statuses = async () => (await client.batch(device, batch)).messages.map(({ status }) => status);
    expect(await statuses()).toEqual(['pending']);
    // Until the sweep has rested for a minute it would not be called again, if nothing was due.
    await new Promise((resolve) => setTimeout(resolve, SECOND));
    service.clock.advance(31 * SECOND);
    await eventually(statuses, ([status]) => status === 'failed', 20 * SECOND);
  });
});
