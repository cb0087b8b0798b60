import { useQuery } from '@tanstack/react-query';
import type { SuppressionResponse } from '../../../generated';
import {
  getConsentSettingsOptions,
  listSuppressionsOptions,
} from '../../../generated/@tanstack/react-query.gen';

interface Blocking {
  /** Whether the account reads texts such as STOP and obeys blocks. */
  readonly isEnabled: boolean;
  /** What stops messages to the number; one of a topic only if there is no other. */
  readonly block: SuppressionResponse | undefined;
}

/** @param newest the id of the newest message, which may be a STOP. */
export function useBlock(number: string, newest: string | undefined): Blocking {
  const settings = useQuery(getConsentSettingsOptions());
  const isEnabled = settings.data?.data.enabled === true;
  const options = listSuppressionsOptions({ query: { number } });
  const blocks = useQuery({
    ...options,
    queryKey: [{ ...options.queryKey[0], newest }] as unknown as typeof options.queryKey,
    enabled: isEnabled,
    placeholderData: (previous) => previous,
  });
  const found = isEnabled ? (blocks.data?.data ?? []) : [];
  const ofAllTopics = found.filter(({ topic }) => topic === undefined);
  const block = ofAllTopics.find(({ state }) => state === 'out') ?? ofAllTopics[0] ?? found[0];
  return { isEnabled, block };
}
