import type { Translation } from '../catalogue';

export default {
  title: 'Nachrichten',
} satisfies Translation['messages'];
