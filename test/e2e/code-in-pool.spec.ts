import { type AirRecord, numberedSims, VirtualPhone } from 'messaging-gateway-phone';
import { eventually } from '../support/eventually';
import { newPool } from '../support/new-pool';
import { TestService } from '../support/service';

const CAMPAIGN_SIZE = 400;
const PARTS_PER_MINUTE = 60;
const CODES = 8;
/** Of the fastest: `bench/senders` measures all, and here other tests run too. */
const MAX_TO_AIR_MS = 5_000;
/** Behind the campaign a code would wait for more than a minute. */
const MAX_BEHIND_OTHERS_MS = 45_000;

describe('one-time codes to a pool of which every SIM works at a campaign', () => {
  let service: TestService;
  let phones: VirtualPhone[] = [];

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterEach(() => Promise.all(phones.map((phone) => phone.stop())));
  afterAll(() => service.stop());

  it('go on the air before the campaign, by several SIMs', async () => {
    const client = await service.newAccount();
    phones = ['first', 'second'].map(
      (serial) =>
        new VirtualPhone({
          baseUrl: service.url,
          apiKey: client.apiKey,
          serial,
          sendDelaySeconds: 0,
          sims: numberedSims(2, serial),
        }),
    );
    await Promise.all(phones.map((phone) => phone.start()));
    const sims = ((await client.get('/gateway/sims')).body as { data: { _id: string }[] }).data;
    for (const { _id } of sims)
      await client
        .patch(`/gateway/sims/${_id}`, { limits: { partsPerMinute: PARTS_PER_MINUTE } })
        .expect(200);
    const ids = sims.map(({ _id }) => _id);
    const poolId = await newPool(service, client, ids);
    const recipients = Array.from({ length: CAMPAIGN_SIZE }, (_, index) => `+4917600${1_000 + index}`);
    const campaign = await client.send(recipients, { poolId });
    const onAir = (): readonly AirRecord[] => phones.flatMap((phone) => phone.airLog);
    const simsOf = (records: readonly AirRecord[]) => new Set(records.map(({ iccId }) => iccId));
    await eventually(
      () => simsOf(onAir()).size,
      (size) => size === sims.length,
    );
    const codes: AirRecord[] = [];
    const times: number[] = [];
    for (let code = 0; code < CODES; code++) {
      const recipient = `+49151123400${10 + code}`;
      const sentAt = Date.now();
      await client.send([recipient], { message: 'Your code is 123456', poolId, priority: 'urgent' });
      const record = await eventually(
        () => onAir().find((each) => each.recipient === recipient),
        (found) => found !== undefined,
      );
      if (!record) continue;
      codes.push(record);
      times.push(record.at - sentAt);
    }
    expect(Math.min(...times)).toBeLessThan(MAX_TO_AIR_MS);
    expect(Math.max(...times)).toBeLessThan(MAX_BEHIND_OTHERS_MS);
    expect(simsOf(codes).size).toBeGreaterThan(1);
    const sent = onAir().filter(({ smsBatchId }) => smsBatchId === campaign);
    expect(sent.length).toBeLessThan(CAMPAIGN_SIZE);
  });
});
