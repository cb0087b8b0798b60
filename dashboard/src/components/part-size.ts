import type { TFunction } from 'i18next';
import type { Encoding } from '../../../src/messages/text/segments';

/** Why texts have more parts than their length suggests, to be shown after their number. @param encoding absent if texts differ. */
export function shortPartsNote(t: TFunction, encoding: Encoding | undefined): string {
  if (encoding === 'GSM-7') return '';
  return ` · ${t(encoding === undefined ? 'send.someShortParts' : 'send.shortParts')}`;
}
