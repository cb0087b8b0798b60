import type { Translation } from '../catalogue';

export default {
  title: 'Mensajes',
} satisfies Translation['messages'];
