import { join } from 'node:path';
import type { TestClient } from '../support/client';
import { runProgram } from '../support/program';
import { TestService } from '../support/service';

const ROOT = join(__dirname, '..', '..');

describe('npm run demo -- --phones', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start();
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  it('sends a campaign by the SIMs of several phones, shows each SIM, and cleans up', async () => {
    const args = ['tools/demo.ts', '--phones', '2', '--count', '24', '--url', service.url];
    const environment = { API_KEY: client.apiKey };
    const { code, output, error } = await runProgram(join(ROOT, 'node_modules', '.bin', 'tsx'), args, {
      environment,
      directory: ROOT,
    });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(output).toContain('sending 24 messages by 4 SIMs of 2 virtual phones, a pool of the service');
    expect(output).toMatch(/forecast: \d+\.\d s; the last message was on the air after \d+\.\d s/);
    expect(output).toMatch(/the carrier blocked phone 2 SIM 1 Charlie after .*; its breaker/);
    expect(output).toMatch(
      /^\d+\.\d s: the carrier blocks phone 2 SIM 1 Charlie; \d+ messages wait for it$/m,
    );
    const rows = output
      .split('\n')
      .filter((line) => /^phone \d SIM \d /.test(line))
      .slice(-4);
    expect(rows.map((line) => line.slice(0, 13))).toEqual([
      'phone 1 SIM 1',
      'phone 1 SIM 2',
      'phone 2 SIM 1',
      'phone 2 SIM 2',
    ]);
    expect(output).toMatch(/24 messages: \d+ delivered/);
    expect(output).toContain('on the air twice: 0, reported but not on the air: 0, not settled: 0');
    expect(output).not.toContain('\u001b');
    const devices = (await client.get('/gateway/devices')).body as { data: { enabled: boolean }[] };
    expect(devices.data.map(({ enabled }) => enabled)).toEqual([false, false]);
    expect((await client.get('/gateway/pools')).body).toEqual({ data: [] });
    const sims = (await client.get('/gateway/sims')).body as { data: { limits: object }[] };
    expect(sims.data.map(({ limits }) => limits)).toEqual([{}, {}, {}, {}]);
  });

  it('rejects more phones than it has', async () => {
    const args = ['tools/demo.ts', '--phones', '21', '--url', service.url, '--api-key', client.apiKey];
    const { code, error } = await runProgram(join(ROOT, 'node_modules', '.bin', 'tsx'), args, {
      directory: ROOT,
    });
    expect({ code, error }).toEqual({
      code: 1,
      error: 'demo: --phones must be a whole number from 1 to 20\n',
    });
  });
});
