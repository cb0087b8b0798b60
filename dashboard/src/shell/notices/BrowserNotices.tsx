import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProblemResponse } from '../../../generated';
import { getNoticesOptions, listProblemsOptions } from '../../../generated/@tanstack/react-query.gen';
import { isKnown } from '../../components/problem-codes';
import { showBrowserNotice } from '../../preferences/browser-notices';
import { type Memory, newsOf } from './news';

/** Time alone makes news: a phone is offline for some minutes. */
const LOOK_EVERY_MS = 30_000;
/** Live updates tell of phones, SIMs and webhooks, but not of the plan. */
const READ_EVERY_MS = 5 * 60_000;

/** Shows what happens as notifications of the browser, while a page is open. */
export default function BrowserNotices() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const memory = useRef<Memory<ProblemResponse>>(undefined);
  const settings = useQuery(getNoticesOptions()).data?.data;
  const read = useQuery({
    ...listProblemsOptions(),
    refetchInterval: READ_EVERY_MS,
    refetchIntervalInBackground: true,
  });
  const problems = read.data?.data;
  const [look, setLook] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setLook((count) => count + 1), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (!problems || !settings) return;
    const result = newsOf(problems, memory.current, settings, Date.now());
    memory.current = result.memory;
    for (const { key, problem, isBack } of result.news) {
      const { code, text, remedy, subject } = problem;
      const name = subject.name;
      const title = isBack
        ? t('shell.notices.back', { name })
        : isKnown(code)
          ? t(`problems.text.${code}`, { count: 1, name })
          : text;
      const body = isBack ? undefined : isKnown(code) ? t(`problems.remedy.${code}`) : remedy;
      showBrowserNotice(title, { body, tag: `messaging-gateway ${key}` }, () => void navigate({ to: '/' }));
    }
  }, [problems, settings, look, t, navigate]);
  return null;
}
