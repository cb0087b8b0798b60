export const MAX_NAME_LENGTH = 128;
export const MAX_NUMBERS = 20;
export const MAX_NUMBER_LENGTH = 64;
export const MAX_LABEL_LENGTH = 40;
export const MAX_FIELDS = 30;
export const MAX_FIELD_NAME_LENGTH = 64;
export const MAX_FIELD_VALUE_LENGTH = 1_000;
/** Of the values of all fields of a contact. */
export const MAX_FIELD_CHARACTERS = 10_000;
export const MAX_TAGS = 50;
export const MAX_TAG_LENGTH = 64;
export const MAX_NOTES_LENGTH = 5_000;
export const MAX_LISTS_PER_ACCOUNT = 100;
