import { createApiKey, deleteApiKey, listApiKeys, revokeApiKey } from '../../../../generated/sdk.gen';
import type { ApiKeyResponse } from '../../../../generated/types.gen';
import i18n from '../../../i18n';

/** Creates a key for one phone. @returns the key itself. @throws ApiError */
export async function createPhoneKey(): Promise<string> {
  const body = { kind: 'phone', name: i18n.t('phones.pair.keyName') } as const;
  const { data } = await createApiKey({ body, throwOnError: true });
  return data.data;
}

/** The key in the list, which masks all but its start. */
export const findKey = (key: string, keys: readonly ApiKeyResponse[]): ApiKeyResponse | undefined =>
  keys.find(({ apiKey }) => key.startsWith(apiKey.replace(/\*+$/, '')));

/** Deletes a key that no phone has used. @throws ApiError */
export async function discardUnusedKey(key: string): Promise<void> {
  const { data } = await listApiKeys({ throwOnError: true });
  const found = findKey(key, data.data);
  if (!found || found.deviceId) return;
  const path = { id: found._id };
  await revokeApiKey({ path, throwOnError: true });
  await deleteApiKey({ path, throwOnError: true });
}
