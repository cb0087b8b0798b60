import { type Block, countFalseAlarms, type Detection, measureDetection } from './figures';

const VOLUMES = [10, 100, 1_000, 10_000];
const FAILURE_RATES = [0.005, 0.02, 0.05];
const DELIVERY_RATES = [0, 0.6, 0.98];
const BLOCKS: readonly Block[] = ['failures', 'silence'];

/** As in a wave of 24 parts a minute. */
const CAMPAIGN_GAP_MS = 2_500;
const DETECTION_SEEDS = 20;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const percent = (share: number) => `${share * 100} %`;
const row = (...cells: (string | number)[]): void => {
  print(`| ${cells.join(' | ')} |`);
};
const header = (...cells: string[]) => {
  row(...cells);
  row(...cells.map(() => '---'));
};
const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Prints how often the breaker of a SIM opens in ordinary traffic, and how long it takes to notice a block. */
function main(): void {
  print('False alarms in a year, the mean of several years:\n');
  header(
    'Messages a day',
    'Failures',
    ...DELIVERY_RATES.map((rate) => `Deliveries ${percent(rate)}`),
    'Years',
  );
  for (const messagesPerDay of VOLUMES) {
    const years = Math.min(20, 20_000 / messagesPerDay);
    for (const failureRate of FAILURE_RATES) {
      const means = DELIVERY_RATES.map((deliveryRate) => {
        const traffic = { messagesPerDay, failureRate, deliveryRate };
        return seeds(years).reduce((sum, seed) => sum + countFalseAlarms(traffic, seed), 0) / years;
      });
      row(messagesPerDay, percent(failureRate), ...means, years);
    }
  }

  print('\nFrom a block to the opening of the breaker, median and worst of 20:\n');
  header('Messages a day', 'Deliveries', ...BLOCKS);
  for (const messagesPerDay of VOLUMES) {
    for (const deliveryRate of DELIVERY_RATES)
      row(messagesPerDay, percent(deliveryRate), ...detections({ messagesPerDay, deliveryRate }));
  }
  for (const deliveryRate of DELIVERY_RATES) {
    row(
      'campaign',
      percent(deliveryRate),
      ...detections({ messagesPerDay: 1_000, deliveryRate, gapMs: CAMPAIGN_GAP_MS }),
    );
  }
}

function detections({
  gapMs,
  ...traffic
}: {
  messagesPerDay: number;
  deliveryRate: number;
  gapMs?: number;
}): string[] {
  return BLOCKS.map((block) => {
    if (block === 'silence' && traffic.deliveryRate === 0) return '-';
    const measured = seeds(DETECTION_SEEDS)
      .map((seed) => measureDetection({ ...traffic, failureRate: 0.02 }, block, seed, { gapMs }))
      .sort((a, b) => a.minutes - b.minutes);
    return [measured[DETECTION_SEEDS / 2], measured.at(-1)].map(describe).join('; ');
  });
}

function describe(detection: Detection | undefined): string {
  if (detection?.minutes === Infinity) return 'not in 60 days';
  return detection ? `${detection.messages} messages, ${detection.minutes.toFixed(1)} min` : '';
}

main();
