import type { TFunction } from 'i18next';
import { ApiError } from '../../api/client';
import { fieldErrors } from '../../api/field-errors';
import { errorText } from '../../components/notify';

type Errors<Field extends string> = Partial<Record<Field | 'form', string>>;

/**
 * The errors of a request by field.
 * @param fields those of the form; other errors are in `form`.
 * @param password the field of the current password.
 */
export function formErrors<Field extends string>(
  t: TFunction,
  error: unknown,
  fields: readonly Field[],
  password?: Field,
): Errors<Field> {
  const named = (errors: Record<string, string>) => errors as Errors<Field>;
  if (!error) return {};
  if (password && error instanceof ApiError && error.code === 'WRONG_PASSWORD')
    return named({ [password]: t('account.wrongPassword') });
  const known = Object.entries(fieldErrors(error)).filter(([field]) => fields.some((each) => each === field));
  if (known.length > 0) return named(Object.fromEntries(known));
  return named({ form: errorText(error) });
}
