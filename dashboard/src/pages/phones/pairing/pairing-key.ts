import { createApiKey, deleteApiKey, listApiKeys, revokeApiKey } from '../../../../generated/sdk.gen';
import type { ApiKeyResponse } from '../../../../generated/types.gen';
import i18n from '../../../i18n';

/** A key that a phone has not used yet. */
export interface PhoneKey {
  readonly value: string;
  readonly id: string;
}

/** Creates a key for one phone. @throws ApiError */
export async function createPhoneKey(): Promise<PhoneKey> {
  const body = { kind: 'phone', name: i18n.t('pairing.own.keyName') } as const;
  const { data: value } = (await createApiKey({ body, throwOnError: true })).data;
  const { data: keys } = (await listApiKeys({ throwOnError: true })).data;
  return { value, id: findKey(value, keys)?._id ?? '' };
}

/** The key in the list, which masks all but its start. */
const findKey = (value: string, keys: readonly ApiKeyResponse[]): ApiKeyResponse | undefined =>
  keys.find(({ apiKey }) => value.startsWith(apiKey.replace(/\*+$/, '')));

/** Deletes a key that no phone has used. @throws ApiError */
export async function discardUnusedKey({ id }: PhoneKey): Promise<void> {
  const { data } = await listApiKeys({ throwOnError: true });
  const found = data.data.find(({ _id }) => _id === id);
  if (!found || found.deviceId) return;
  await revokeApiKey({ path: { id }, throwOnError: true });
  await deleteApiKey({ path: { id }, throwOnError: true });
}

/** Revokes a key while the browser leaves the page: only a call that has begun outlives it. */
export function revokeWhileLeaving({ id }: PhoneKey): void {
  void revokeApiKey({ path: { id }, keepalive: true }).catch(() => undefined);
}
