import request from 'supertest';
import type { TestService } from './service';

export const METRICS_TOKEN = 'a-token-for-Prometheus-alone';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The metrics of one process. */
export class Scrape {
  private readonly samples: readonly Sample[];

  private constructor(readonly text: string) {
    this.samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
      ([, name = '', labels = '', value]) => ({
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]),
        ),
        value: Number(value),
      }),
    );
  }

  static async of(service: TestService): Promise<Scrape> {
    const answer = await request(service.url).get('/metrics').set('authorization', `Bearer ${METRICS_TOKEN}`);
    if (answer.status !== 200) throw new Error(`No metrics: ${answer.status} ${answer.text}`);
    return new Scrape(answer.text);
  }

  /** The distinct names of all series. */
  get names(): string[] {
    return [...new Set(this.samples.map(({ name }) => name))];
  }

  /** The names in TYPE lines. */
  get types(): string[] {
    return [...this.text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
  }

  labelsOf(name: string): string[] {
    const series = this.samples.filter((sample) => sample.name === name);
    return [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))];
  }

  /** The sum of the series with these labels. */
  value(name: string, labels: Readonly<Record<string, string>>): number {
    return this.samples
      .filter(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
      )
      .reduce((sum, { value }) => sum + value, 0);
  }
}
