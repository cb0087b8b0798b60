import type { WordList } from './word-list';

export const SPANISH: WordList = {
  out: ['baja', 'alto', 'parar', 'cancelar'],
  in: ['alta', 'empezar'],
  help: ['ayuda'],
  everyday: ['baja', 'alto', 'parar', 'cancelar'],
  around: [
    ...['por', 'favor', 'porfa', 'porfavor', 'ya', 'sms', 'mensajes', 'publicidad', 'quiero', 'gracias'],
    ...['todo', 'todos', 'ahora', 'solicito', 'pido'],
  ],
  unclear: [
    'no me|nos mas? manden|mande|mandes|envien|envie|envies mas|mensajes|sms|publicidad|textos|esto|estos',
    'no me|nos escriban|escriba|escribas|molesten|moleste|molestes|contacten',
    'no manden|mande|envien|envie mas',
    'no mas|quiero|deseo mas? mensajes|sms|textos|publicidad',
    'no quiero|deseo recibir mas|mensajes|sms|publicidad|sus',
    'dejen|deje|deja|dejad|paren|pare|para|parad de molestar|molestarme|enviar|enviarme|mandar|mandarme|escribir|escribirme',
    'darme|darnos|denme|deme|dame de baja',
    'borrenme|borreme|borrame|eliminenme|saquenme|saqueme|sacame|quitenme|quitarme de|ya',
    'borren|borre|eliminen|elimine|quiten|quite mi|este numero',
    'ya basta',
    'basta ya? de|con mensajes|publicidad|sms|tantos|tanta',
    'dejenme|dejeme|dejame en paz',
    'como me doy de baja',
  ],
  harmless: ['el|un|luz|senal|faro|non|no|sin|ultimo|proximo stop'],
};
