import { sanitizeLine } from '../common/text/printable';
import type { Notice } from './notice.schema';
import type { NoticeTopic } from './notice-topic';

/** Further ones of a topic are counted. */
const MAX_NAMES = 20;

type ToldNotice = Pick<Notice, 'topic' | 'name' | 'at' | 'since' | 'detail'>;

interface TopicText {
  readonly one: (name: string) => string;
  readonly many: (count: number) => string;
  /** What its time is. */
  readonly time: string;
}

const TEXTS: Record<NoticeTopic, TopicText> = {
  phoneOffline: {
    one: (name) => `${name} cannot be reached`,
    many: (count) => `${count} phones cannot be reached`,
    time: 'since',
  },
  phoneBack: {
    one: (name) => `${name} is back`,
    many: (count) => `${count} phones are back`,
    time: 'since',
  },
  simUnhealthy: {
    one: (name) => `Messages of ${name} fail`,
    many: (count) => `Messages of ${count} SIMs fail`,
    time: 'since',
  },
  webhookPaused: {
    one: (name) => `The webhook ${name} was paused`,
    many: (count) => `${count} webhooks were paused`,
    time: 'at',
  },
  planNearlyUsed: {
    one: (name) => `${name} of your plan is nearly used`,
    many: () => 'Your plan is nearly used',
    time: 'since',
  },
};

/** What to do, once for each topic. */
const REMEDIES: Record<NoticeTopic, string> = {
  phoneOffline:
    'Messages to send wait for the phone. Check that it is switched on and has internet, and that its app is open.',
  phoneBack: 'What waited for it is sent now.',
  simUnhealthy: 'Its carrier may have blocked the SIM. Send a text by hand from the phone to see.',
  webhookPaused: 'It gets no events until you switch it on again; then you can replay those that it missed.',
  planNearlyUsed: 'Sends that exceed the plan are refused.',
};

/**
 * The mail that tells an owner what has happened.
 * @param notices at least one.
 * @param options.dashboard address of the dashboard, if it is known.
 * @param options.isLastOfDay whether further notices wait until the next day.
 */
export function noticeMail(
  owner: string,
  notices: readonly ToldNotice[],
  options: { readonly dashboard?: string; readonly isLastOfDay: boolean },
): { readonly subject: string; readonly text: string } {
  const groups = (Object.keys(TEXTS) as NoticeTopic[]).flatMap((topic) => {
    const ofTopic = notices.filter((notice) => notice.topic === topic);
    return ofTopic.length > 0 ? [{ topic, notices: ofTopic }] : [];
  });
  const titles = groups.map((group) => titleOf(group.topic, group.notices));
  const [first = ''] = titles;
  return {
    subject: titles.length > 1 ? `${first}, and more` : first,
    text: [
      `Hello ${sanitizeLine(owner)},`,
      ...groups.map((group) => groupText(group.topic, group.notices)),
      ...(options.isLastOfDay
        ? ['This is the last mail of today (UTC). What happens until tomorrow is in one mail then.']
        : []),
      `You can switch these mails off in the dashboard, under Account${options.dashboard ? `: ${options.dashboard}` : ''}.`,
      '',
    ].join('\n\n'),
  };
}

function titleOf(topic: NoticeTopic, notices: readonly ToldNotice[]): string {
  const [first] = notices;
  return notices.length === 1 && first
    ? TEXTS[topic].one(sanitizeLine(first.name))
    : TEXTS[topic].many(notices.length);
}

function groupText(topic: NoticeTopic, notices: readonly ToldNotice[]): string {
  const { time } = TEXTS[topic];
  const lines = notices.slice(0, MAX_NAMES).map(({ name, at, since = at, detail }) => {
    const more = detail === undefined ? '' : `: ${sanitizeLine(detail)}`;
    return `- ${sanitizeLine(name)}, ${time} ${timeText(since)}${more}`;
  });
  if (notices.length > MAX_NAMES) lines.push(`- and ${notices.length - MAX_NAMES} more`);
  return [`${titleOf(topic, notices)}.`, ...lines, REMEDIES[topic]].join('\n');
}

const timeText = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
