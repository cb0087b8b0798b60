import type { Translation } from '../catalogue';

export default {
  title: 'Unterhaltungen',
} satisfies Translation['conversations'];
