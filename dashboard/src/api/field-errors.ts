import { ApiError } from './client';

/** The messages of the API by field. They stand below the label of the field, so they begin without its name. */
export const fieldErrors = (error: unknown): Record<string, string> =>
  error instanceof ApiError
    ? Object.fromEntries(error.details.map(({ field, message }) => [field, withoutField(message, field)]))
    : {};

interface ShowingErrors {
  setErrors(errors: Record<string, string>): void;
  getInputNode(path: string): HTMLElement | null;
}

/** Shows errors below their fields, and leads to the first of them, which may be out of sight. */
export function showFieldErrors(form: ShowingErrors, errors: Record<string, string>): void {
  form.setErrors(errors);
  const [first] = Object.keys(errors);
  if (first !== undefined) form.getInputNode(first)?.focus();
}

function withoutField(message: string, field: string): string {
  if (!message.startsWith(`${field} `)) return message;
  const rest = message.slice(field.length + 1);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
