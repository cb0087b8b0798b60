import { join } from 'node:path';
import type { TestClient } from '../support/client';
import { MarkdownPage } from '../support/markdown-page';
import { runProgram } from '../support/program';
import { TestService } from '../support/service';

const ROOT = join(__dirname, '..', '..');

interface Answer {
  readonly data: object;
}

describe('docs/use/senders.md', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start();
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  it('has commands that make a pool of two SIMs, estimate a campaign, and send it and a code', async () => {
    await client.newDevice({
      simInfo: {
        sims: [
          { subscriptionId: 1, simSlotIndex: 0 },
          { subscriptionId: 2, simSlotIndex: 1 },
        ],
      },
    });
    const [settings, ...commands] = MarkdownPage.read('use/senders.md').codeBlocks('bash');
    expect(settings).toContain('GATEWAY=');
    const environment: Record<string, string> = {
      GATEWAY: `${service.url}/api/v1/gateway`,
      API_KEY: client.apiKey,
    };
    const run = async (command = ''): Promise<Answer[]> => {
      const script = command.replaceAll('curl -sS', `curl -sS -w '\\n'`);
      const { code, output } = await runProgram('bash', ['-ec', script], { directory: ROOT, environment });
      expect(code).toBe(0);
      return output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Answer);
    };
    expect(commands).toHaveLength(5);
    const [list, limit, pool, estimate, send] = commands;

    const [{ data: sims }] = (await run(list)) as [{ data: { _id: string }[] }];
    environment.SIM_1 = sims[0]?._id ?? '';
    environment.SIM_2 = sims[1]?._id ?? '';
    expect(await run(limit)).toMatchObject([
      { data: { _id: environment.SIM_1, label: 'Shop 1', limits: { recipientsPerMonth: 250 } } },
    ]);
    const [{ data: created }] = (await run(pool)) as [{ data: { _id: string } }];
    expect(created).toMatchObject({ sims: [environment.SIM_1, environment.SIM_2], isDefault: true });
    environment.POOL = created._id;
    const [{ data: forecast }] = (await run(estimate)) as [{ data: { sims: { messages: number }[] } }];
    expect(forecast.sims.reduce((sum, { messages }) => sum + messages, 0)).toBe(2);
    expect(await run(send)).toMatchObject([{ data: { recipientCount: 2 } }, { data: { recipientCount: 1 } }]);
    const { data: messages } = (await client.get('/gateway/messages')).body as {
      data: { priority?: string }[];
    };
    expect(messages.map(({ priority }) => priority ?? 'normal').sort()).toEqual([
      'normal',
      'normal',
      'urgent',
    ]);
  });
});
