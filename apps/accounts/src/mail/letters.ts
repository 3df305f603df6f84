/** What a mail says. `body` is plain text. */
export interface Letter {
  subject: string;
  body: string;
}

const greeting = (name: string) => `Hello ${name},\n\n`;

export function verificationLetter(name: string, link: string): Letter {
  return {
    subject: 'Confirm your e-mail address',
    body: `${greeting(name)}this link confirms that this address is yours; it works once, for two days:\n\n${link}\n\nIf you did not sign up, do nothing.\n`,
  };
}

export function resetLetter(name: string, link: string): Letter {
  return {
    subject: 'Set a new password',
    body: `${greeting(name)}this link lets you set a new password; it works once, for an hour:\n\n${link}\n\nIf you did not ask for it, do nothing: your password stays as it is.\n`,
  };
}

export function approvalLetter(name: string, link: string): Letter {
  return {
    subject: 'Your access is approved',
    body: `${greeting(name)}your request for access is approved. Your keys work from now on:\n\n${link}\n`,
  };
}

export function declineLetter(name: string): Letter {
  return {
    subject: 'Your request for access was declined',
    body: `${greeting(name)}your request for access was declined. If you think that this is a mistake, please contact the operator of this gateway.\n`,
  };
}
