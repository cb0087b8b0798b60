/** The name of a topic. */
export const TOPIC = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** Follows the name of the field. */
export const TOPIC_RULE =
  'must have 1 to 40 lower-case letters, digits, - or _, and begin with a letter or digit';
