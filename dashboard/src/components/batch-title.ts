import type { TFunction } from 'i18next';
import type { BatchResponse } from '../../generated';

const MAX_TITLE = 200;

/** The text that was filled for each, or that all got; else why there is none. */
export const titleOf = (
  { message, messageTemplate, encrypted }: Pick<BatchResponse, 'message' | 'messageTemplate' | 'encrypted'>,
  t: TFunction,
): string => ([messageTemplate, message].find(Boolean) ?? t(textlessTitle(encrypted))).slice(0, MAX_TITLE);

/** An encrypted batch has no text, and one with different texts has no single one. */
export const textlessTitle = (encrypted: boolean | undefined) =>
  encrypted ? 'common.encrypted' : 'common.differentTexts';
