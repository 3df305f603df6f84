import { Controller } from '@nestjs/common';
import { peopleOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { Reply, Request } from '../operations';
import { EmailVerification } from './email-verification';
import { FirstAdministrator } from './first-administrator';
import { PasswordChange } from './password-change';
import { PasswordReset } from './password-reset';
import { Profile } from './profile';
import { SignIn } from './sign-in';
import { SignUp } from './sign-up';

/** The operations by which people come in, and on what is known of them. */
@Controller()
export class PeopleController {
  constructor(
    private readonly signsUp: SignUp,
    private readonly signsIn: SignIn,
    private readonly passwords: PasswordChange,
    private readonly resets: PasswordReset,
    private readonly verification: EmailVerification,
    private readonly first: FirstAdministrator,
    private readonly profile: Profile,
  ) {}

  @Serve(peopleOperations.signUp)
  signUp(request: Request<'signUp'>): Promise<Reply<'signUp'>> {
    return this.signsUp.signUp(request);
  }

  @Serve(peopleOperations.signIn)
  signIn(request: Request<'signIn'>): Promise<Reply<'signIn'>> {
    return this.signsIn.signIn(request);
  }

  @Serve(peopleOperations.changePassword)
  changePassword(request: Request<'changePassword'>): Promise<Reply<'changePassword'>> {
    return this.passwords.change(request);
  }

  @Serve(peopleOperations.forgot)
  forgot(request: Request<'forgot'>): Promise<Reply<'forgot'>> {
    return this.resets.forgot(request);
  }

  @Serve(peopleOperations.reset)
  reset(request: Request<'reset'>): Promise<Reply<'reset'>> {
    return this.resets.reset(request);
  }

  @Serve(peopleOperations.verifyEmail)
  verifyEmail(request: Request<'verifyEmail'>): Promise<Reply<'verifyEmail'>> {
    return this.verification.verify(request);
  }

  @Serve(peopleOperations.sendVerification)
  sendVerification(request: Request<'sendVerification'>): Promise<Reply<'sendVerification'>> {
    return this.verification.send(request);
  }

  @Serve(peopleOperations.firstAdministrator)
  firstAdministrator(request: Request<'firstAdministrator'>): Promise<Reply<'firstAdministrator'>> {
    return this.first.make(request);
  }

  @Serve(peopleOperations.updateProfile)
  updateProfile(request: Request<'updateProfile'>): Promise<Reply<'updateProfile'>> {
    return this.profile.rename(request);
  }

  @Serve(peopleOperations.setRole)
  setRole(request: Request<'setRole'>): Promise<Reply<'setRole'>> {
    return this.profile.setRole(request);
  }
}
