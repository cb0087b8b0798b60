/** The form in which e-mail addresses are stored and compared. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();
