import "./style.css";
import { render } from "preact";
import { Shell } from "./shell";
import { signIn } from "./session";

void signIn();
render(<Shell />, document.body);
