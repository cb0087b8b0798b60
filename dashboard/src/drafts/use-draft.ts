import { useSuspenseQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { whoAmIOptions } from '../../generated/@tanstack/react-query.gen';
import { isLeavingForSignIn } from '../api/leave-for-sign-in';
import { dropDraft, keepDraft, readDraft } from './drafts';

/** How long nothing is typed before it is kept. */
const PAUSE_MS = 300;

/** What this account had typed into a form in this tab, such as before its session ended. */
export function useRestoredDraft(name: string): unknown {
  const account = useAccount();
  const [restored] = useState(() => readDraft(account, name));
  return restored;
}

/**
 * Keeps what is typed into a form, and asks before the page is left with it.
 * @param value undefined if nothing would be lost. A new object only when it has changed.
 * @returns ends it, because it is sent.
 */
export function useKeptDraft(name: string, value: object | undefined): () => void {
  const { t } = useTranslation();
  const account = useAccount();
  const unsent = useRef(value);
  const isFinished = useRef(false);
  const keep = useRef<() => void>(() => undefined);
  useEffect(() => {
    unsent.current = value;
    keep.current = () => {
      if (isFinished.current) return;
      if (value === undefined) dropDraft(account, name);
      else keepDraft(account, name, value);
    };
    const timer = setTimeout(() => keep.current(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [account, name, value]);
  useEffect(() => {
    const keepNow = () => keep.current();
    addEventListener('pagehide', keepNow);
    return () => removeEventListener('pagehide', keepNow);
  }, []);
  const finish = () => {
    isFinished.current = true;
    dropDraft(account, name);
  };
  const isUnsent = () => !isFinished.current && unsent.current !== undefined;
  useBlocker({
    shouldBlockFn: () => {
      if (!isUnsent()) return false;
      if (!confirm(t('common.leave'))) return true;
      finish();
      return false;
    },
    // Signed out: it is kept, and found again after signing in.
    enableBeforeUnload: () => isUnsent() && !isLeavingForSignIn(),
  });
  return finish;
}

const useAccount = (): string => useSuspenseQuery(whoAmIOptions()).data.data._id;
