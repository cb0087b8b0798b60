import { readKeyword, type WordSettings } from '../../consent/words/read-words';
import type { ReceivedText } from './received-texts.repository';

/**
 * The text by which a person last asked for no more messages, if they did not ask for messages again since; of the same time, no
 * messages win.
 * @param texts of one person, in any order.
 */
export function lastOptOut(texts: readonly ReceivedText[], settings: WordSettings): ReceivedText | undefined {
  let last: { readonly text: ReceivedText; readonly isOut: boolean; readonly at: Date } | undefined;
  for (const text of texts) {
    const meaning = readKeyword(text.message, settings);
    if (meaning !== 'out' && meaning !== 'in') continue;
    const [isOut, at] = [meaning === 'out', timeOf(text)];
    if (!last || at > last.at || (at.getTime() === last.at.getTime() && isOut)) last = { text, isOut, at };
  }
  return last?.isOut ? last.text : undefined;
}

export const timeOf = ({ receivedAt, createdAt }: ReceivedText): Date => receivedAt ?? createdAt;
