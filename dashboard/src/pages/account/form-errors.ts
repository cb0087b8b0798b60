import type { TFunction } from 'i18next';
import { ApiError } from '../../api/client';
import { errorText } from '../../components/notify';

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
): Partial<Record<Field | 'form', string>> {
  if (!error) return {};
  if (error instanceof ApiError) {
    if (password && error.code === 'WRONG_PASSWORD') return named(password, t('account.wrongPassword'));
    const known = error.details.filter(({ field }) => fields.some((each) => each === field));
    if (known.length > 0)
      return Object.fromEntries(known.map(({ field, message }) => [field, message])) as Partial<
        Record<Field, string>
      >;
  }
  return { form: errorText(error) } as Partial<Record<Field | 'form', string>>;
}

const named = <Field extends string>(field: Field, message: string) =>
  ({ [field]: message }) as Partial<Record<Field, string>>;
