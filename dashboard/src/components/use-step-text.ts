import { useTranslation } from 'react-i18next';
import { sentencesOf, type Wording, wordsOf } from '../../../src/gateway/insight/explanation/sentences';
import type { ExplanationResponse } from '../../generated';
import { localeOf, useTimeFormat } from './Time';

export type ExplainedStep = ExplanationResponse['steps'][number];

export interface StepText {
  readonly text: string;
  /** Of the API, for a step that this page does not know. */
  readonly lang?: 'en';
}

/** Puts the steps of an explanation into the words of the chosen language. */
export function useStepText(): (step: ExplainedStep) => StepText {
  const { t, i18n } = useTranslation();
  const { short } = useTimeFormat();
  const number = new Intl.NumberFormat(localeOf(i18n.language));
  const wording: Wording = {
    say: (key, values) => t(`explanation.${key}`, values),
    time: (at) => short(at),
    number: (value) => number.format(value),
  };
  return ({ code, at, facts, text }) => {
    const keys = sentencesOf(code, facts);
    const isKnown = keys.length > 0 && keys.every((key) => i18n.exists(`explanation.${key}`, { count: 1 }));
    return isKnown ? { text: wordsOf(code, Date.parse(at), facts, wording) } : { text, lang: 'en' };
  };
}
