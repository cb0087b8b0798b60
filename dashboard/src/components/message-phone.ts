import type { TFunction } from 'i18next';
import type { MessageResponse } from '../../generated';

/** The phone of a message as people know it, also after it was deleted. */
export function messagePhone(
  t: TFunction,
  { name, brand, model, deletedAt }: MessageResponse['device'],
): string {
  const known = name ?? (model.toLowerCase().startsWith(brand.toLowerCase()) ? model : `${brand} ${model}`);
  return deletedAt === undefined ? known : t('common.deletedPhone', { name: known });
}
