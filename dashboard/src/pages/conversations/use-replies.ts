import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { type MessageResponse, sendSms } from '../../../generated';
import { whoAmIOptions } from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { isLeavingForSignIn } from '../../api/leave-for-sign-in';
import { dropDraft, keepDraft, readDraft } from '../../drafts/drafts';
import { type ReplySender, withoutListed } from './thread';

/** A reply on its way to the service. */
export interface Outgoing {
  /** Makes repeating it safe. */
  readonly key: string;
  readonly text: string;
  /** The newest message that was listed before it. */
  readonly after: string | undefined;
  readonly sender: ReplySender;
  /** Declared so by its writer, because the number is blocked. */
  readonly isTransactional: boolean;
  /** Why the service did not accept it. */
  readonly error?: unknown;
}

/** What the service did not accept, by number: it is kept while other conversations are looked at. */
const kept = new Map<string, readonly Outgoing[]>();

/**
 * Sends replies to a number; each is shown until it is in the list of messages.
 * @param messages the list, the newest first.
 */
export function useReplies(number: string, messages: readonly MessageResponse[], onSend: () => void) {
  const queries = useQueryClient();
  const { _id: account } = useSuspenseQuery(whoAmIOptions()).data.data;
  const draftName = `reply ${number}`;
  const [draft, showDraft] = useState(() => {
    const kept = readDraft(account, draftName);
    return typeof kept === 'string' ? kept : '';
  });
  useBlocker({
    // Within the dashboard it is kept.
    shouldBlockFn: () => false,
    enableBeforeUnload: () => draft !== '' && !isLeavingForSignIn(),
  });
  const [outgoing, showOutgoing] = useState(kept.get(number) ?? []);
  const setOutgoing = (update: (all: readonly Outgoing[]) => readonly Outgoing[]) => {
    const changed = update(kept.get(number) ?? []);
    kept.set(number, changed);
    showOutgoing(changed);
  };
  const setDraft = (text: string) => {
    if (text === '') dropDraft(account, draftName);
    else keepDraft(account, draftName, text);
    showDraft(text);
  };
  const without = (key: string) => (all: readonly Outgoing[]) => all.filter((each) => each.key !== key);

  const start = async (reply: Outgoing) => {
    setOutgoing((all) => [...without(reply.key)(all), reply]);
    onSend();
    const { deviceId, simSubscriptionId } = reply.sender;
    try {
      await sendSms({
        body: {
          message: reply.text,
          recipients: [number],
          ...(reply.isTransactional && { purpose: 'transactional' as const }),
          ...(deviceId !== undefined && { deviceId }),
          ...(simSubscriptionId !== undefined && { simSubscriptionId }),
        },
        headers: { 'Idempotency-Key': reply.key },
        throwOnError: true,
      });
      await queries.invalidateQueries({ queryKey: [{ _id: 'listMessages' }] });
      setOutgoing(without(reply.key));
    } catch (error) {
      // The page leads to signing in, after which it is found where it was written.
      if (error instanceof ApiError && error.status === 401) keepDraft(account, draftName, reply.text);
      setOutgoing((all) => all.map((each) => (each.key === reply.key ? { ...each, error } : each)));
    }
  };

  return {
    draft,
    setDraft,
    outgoing: withoutListed(outgoing, messages),
    send: (sender: ReplySender, isTransactional: boolean) => {
      if (draft.trim() === '') return;
      setDraft('');
      const after = messages[0]?._id;
      void start({ key: newIdempotencyKey(), text: draft, after, sender, isTransactional });
    },
    retry: ({ error: _, ...reply }: Outgoing) => void start(reply),
    takeBack: ({ key, text }: Outgoing) => {
      setDraft(draft === '' ? text : `${text}\n${draft}`);
      setOutgoing(without(key));
    },
  };
}
