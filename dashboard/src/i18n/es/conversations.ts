import type { Translation } from '../catalogue';

export default {
  title: 'Conversaciones',
} satisfies Translation['conversations'];
