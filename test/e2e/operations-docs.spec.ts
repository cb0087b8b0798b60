import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import request from 'supertest';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import { VirtualPhone } from 'messaging-gateway-phone';
import { MarkdownPage } from '../support/markdown-page';
import { eventually } from '../support/eventually';
import { runProgram } from '../support/program';
import { METRICS_TOKEN, Scrape } from '../support/scrape';
import { TestService } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const DOCS = join(__dirname, '..', '..', 'docs', 'operate');
const METRIC = /\b(?:messaging_gateway|nodejs|process)_\w*[a-z]\b/g;

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const dashboard = JSON.parse(
  readFileSync(join(DOCS, 'grafana', 'messaging-gateway.json'), 'utf8'),
) as Dashboard;
const expressions = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);
const document = MarkdownPage.read('operate/operations.md');
const KUBERNETES = join(__dirname, '..', '..', 'deploy', 'kubernetes');
const manifests = readdirSync(KUBERNETES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readFileSync(join(KUBERNETES, name), 'utf8'))
  .join('\n');
const alerts = document.codeBlocks('yaml').find((block) => block.startsWith('groups:')) ?? '';

/** The labels in an expression, without those of Prometheus itself. */
function labelsIn(expr: string): string[] {
  const chosen = [...expr.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"/g)].map(([, label = '']) => label);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return [...chosen, ...grouped].filter((label) => !['job', 'instance', 'le'].includes(label));
}

describe('the Grafana dashboard, the alerts and the autoscaling', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let scrape: Scrape;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    service = await TestService.start({
      environment: { METRICS_TOKEN, WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' },
    });
    const client = await service.newAccount();
    const phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
    await client.post('/webhooks', {
      deliveryUrl: receiver.url,
      signingSecret: 'a secret of 20 characters and more',
      events: ['MESSAGE_SENT'],
    });
    await client.send(['+4915112345678']);
    scrape = await eventually(
      () => Scrape.of(service),
      (read) =>
        read.value('messaging_gateway_webhook_deliveries_total', { status: 'delivered' }) > 0 &&
        // Missing while the database or Redis takes too long to answer.
        ['overdue_seconds', 'messages_waiting', 'sims_unhealthy', 'queue_jobs', 'queue_oldest_seconds'].every(
          (name) => read.names.includes(`messaging_gateway_${name}`),
        ),
    );
    await phone.stop();
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  it('use existing metrics and labels', () => {
    const scalings = [...manifests.matchAll(/^ +query: (.+)$/gm)].map(([, query = '']) => query);
    const allExpressions = [
      ...expressions.map(({ expr }) => expr),
      ...alerts.split('- alert:').slice(1),
      ...scalings,
    ];
    expect(scalings).not.toEqual([]);
    expect(allExpressions.length).toBeGreaterThan(25);
    for (const expr of allExpressions) {
      const names = expr.match(METRIC) ?? (expr.includes('up{') ? ['up'] : []);
      expect([expr, names.length > 0]).toEqual([expr, true]);
      for (const name of names.filter((each) => each !== 'up')) {
        expect([expr, name, scrape.names.includes(name)]).toEqual([expr, name, true]);
        for (const label of labelsIn(expr)) {
          expect([expr, label, scrape.labelsOf(name).includes(label)]).toEqual([expr, label, true]);
        }
      }
    }
  });

  it('and the probes of Kubernetes call existing routes', async () => {
    const paths = new Set([...manifests.matchAll(/^ +path: (\/health\S*)$/gm)].map(([, path = '']) => path));
    expect(paths.size).toBe(2);
    for (const path of paths) await request(service.url).get(path).expect(200);
  });

  it('use labels in legends that the expression keeps', () => {
    for (const { expr, legendFormat } of expressions) {
      const kept = labelsIn(expr);
      for (const [, label = ''] of legendFormat.matchAll(/{{(\w+)}}/g)) {
        expect([expr, label, [...kept, 'instance'].includes(label)]).toEqual([expr, label, true]);
      }
    }
  });

  it('use documented metrics of the service', () => {
    const own = scrape.types.filter((name) => name.startsWith('messaging_gateway_'));
    expect(own.length).toBeGreaterThan(10);
    const shown = expressions.map(({ expr }) => expr).join('\n');
    for (const name of own) {
      expect([name, shown.includes(name)]).toEqual([name, true]);
      expect([name, document.text.includes(`\`${name.replace('messaging_gateway_', '')}\``)]).toEqual([
        name,
        true,
      ]);
    }
  });
});

describe('the admin command', () => {
  it('is documented with exactly its commands', async () => {
    const program = join(__dirname, '..', '..', 'dist', 'admin.js');
    const { output } = await runProgram(process.execPath, [program, '--help'], {});
    const commands = /^Commands:\n((?: .*\n)+)/m.exec(output)?.[1] ?? '';
    const known = Array.from(commands.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)*)/gm), ([, name]) => name);
    expect(known).toContain('key create');
    expect(document.table('Command').map(([name = '']) => name.replaceAll('`', ''))).toEqual(known);
  });
});

describe('the steps after a restore', () => {
  it('prevent that pending messages of the backup are sent again, and allow new ones', async () => {
    const restored = await TestService.start({ environment: { APP_ROLES: 'api' } });
    const client = await restored.newAccount();
    const device = await client.newDevice();
    const pending = await client.send(['+4915112345678']);
    await runInNewContext(document.codeBlocks('js')[0] ?? '', {
      Date,
      db: { messages: restored.collection('messages') },
    });
    const running = await TestService.start({ shared: restored });
    restored.clock.advance(60_000);
    const next = await client.send(['+4915187654321']);
    await running.get(DispatchScheduler).dispatchOverdue();
    const statuses = async (batch: string) =>
      (await client.batch(device, batch)).messages.map(({ status }) => status);
    await eventually(
      () => statuses(next),
      ([status]) => status === 'dispatched',
    );
    expect(await statuses(pending)).toEqual(['unknown']);
    const [message] = await restored.collection('messages').find({ status: 'unknown' }).toArray();
    expect(message).not.toHaveProperty('dispatchAttempts');
    await running.stop();
    await restored.stop();
  });
});
