/** What a problem is as news; others are not told. */
const TOPICS = {
  phone_offline: 'phoneOffline',
  phone_unresponsive: 'phoneOffline',
  sim_unhealthy: 'simUnhealthy',
  webhook_paused: 'webhookPaused',
  plan_nearly_used: 'planNearlyUsed',
  plan_used_up: 'planNearlyUsed',
} as const;

type Topic = (typeof TOPICS)[keyof typeof TOPICS];

interface NewsSettings extends Readonly<Record<Topic | 'phoneBack', boolean>> {
  readonly offlineAfterMinutes: number;
}

export interface NewsProblem {
  readonly code: string;
  readonly since?: string;
  readonly subject: { readonly id?: string; readonly name: string };
}

interface News<Problem extends NewsProblem> {
  /** The same for the same thing. */
  readonly key: string;
  readonly problem: Problem;
  readonly isBack: boolean;
}

interface Known<Problem> {
  readonly problem: Problem;
  readonly topic: Topic;
  /** Since when it is gone. */
  readonly goneAt?: number;
}

export type Memory<Problem> = ReadonlyMap<string, Known<Problem>>;

/** What is gone for less is still there: things that come and go are told once. */
const FLAPPING_MS = 10 * 60_000;

/**
 * What is to be told now, by the rules of the mails.
 * @param memory the problems that were notified; undefined when the page opens, because problems that exist then are not notified.
 */
export function newsOf<Problem extends NewsProblem>(
  problems: readonly Problem[],
  memory: Memory<Problem> | undefined,
  settings: NewsSettings,
  now: number,
): { readonly news: readonly News<Problem>[]; readonly memory: Memory<Problem> } {
  const next = new Map<string, Known<Problem>>();
  const news: News<Problem>[] = [];
  for (const problem of problems) {
    const topic = topicOf(problem.code);
    if (!topic) continue;
    const key = `${topic} ${problem.subject.id ?? ''}`;
    const isKnown = memory?.has(key) ?? false;
    if (!isKnown && !isDue(topic, problem, settings, now)) continue;
    next.set(key, { problem, topic });
    if (memory && !isKnown && settings[topic]) news.push({ key, problem, isBack: false });
  }
  for (const [key, { problem, topic, goneAt = now }] of memory ?? []) {
    if (next.has(key)) continue;
    if (now - goneAt < FLAPPING_MS) next.set(key, { problem, topic, goneAt });
    else if (topic === 'phoneOffline' && settings.phoneBack) news.push({ key, problem, isBack: true });
  }
  return { news, memory: next };
}

const topicOf = (code: string): Topic | undefined =>
  code in TOPICS ? TOPICS[code as keyof typeof TOPICS] : undefined;

function isDue(topic: Topic, { since }: NewsProblem, settings: NewsSettings, now: number): boolean {
  if (topic !== 'phoneOffline' || since === undefined) return true;
  return now >= Date.parse(since) + settings.offlineAfterMinutes * 60_000;
}
