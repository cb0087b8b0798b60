import type { Translation } from '../catalogue';

export default {
  title: 'Betrieb',
} satisfies Translation['operations'];
