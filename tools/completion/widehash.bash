# bash completion for widehash; written by `widehash completion bash`.
_widehash() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
  local command="${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "inspect fit transform verify audit compare export train evaluate predict explain values describe hash devices help --help --version" -- "$current"))
    return
  fi
  if [[ $command == help ]]; then words="inspect fit transform verify audit compare export train evaluate predict explain values describe hash devices"; fi
  case "$command:$previous" in
    inspect:--header) words="auto yes no" ;;
    export:--format) words="npz libsvm vw" ;;
    train:--activation) words="linear relu sigmoid tanh" ;;
    train:--loss) words="auto logistic mse softmax poisson" ;;
    train:--optimizer) words="ftrl adagrad adam rmsprop sgd" ;;
    train:--lr-decay) words="linear none" ;;
    train:--parallel) words="data tower model" ;;
    train:--mix) words="gradients parameters predictions" ;;
    evaluate:--header) words="yes no" ;;
    predict:--header) words="yes no" ;;
    hash:--encoding) words="four_split one_hot" ;;
    hash:--hash) words="xxh64 xxh3_128" ;;
  esac
  if [[ -z $words && $current == -* ]]; then
    case "$command" in
    inspect) words="--label --weight --header --delimiter --quote --output -o --overwrite --max-rows --threads --json --quiet --help -h" ;;
    fit) words="--schema --output -o --add --memory --max-bad-rows --allow-empty --folds --fold-by --overwrite --threads --json --quiet --help -h" ;;
    transform) words="--schema --output -o --tables --max-bad-rows --allow-empty --folds --fold-by --memory --block-bytes --shard-bytes --overwrite --threads --json --quiet --help -h" ;;
    verify) words="--threads --json --quiet --help -h" ;;
    audit) words="--memory --threads --json --quiet --help -h" ;;
    compare) words="--top --max-unseen --max-missing --max-shift --threads --json --quiet --help -h" ;;
    export) words="--format --output -o --threads --json --quiet --help -h" ;;
    train) words="--output -o --valid --from --hidden --activation --loss --class-weights --optimizer --lr --l1 --l2 --beta --beta1 --beta2 --rho --epsilon --lr-decay --batch-size --epochs --seed --no-shuffle --early-stop --checkpoint-every --resume --overwrite --devices --parallel --mix --mix-every --memory --profile --threads --json --quiet --help -h" ;;
    evaluate) words="--tables --max-bad-rows --by --most-values --top --against --undo-class-weights --allow-empty --delimiter --quote --header --devices --threads --json --quiet --help -h" ;;
    predict) words="--output -o --tables --max-bad-rows --keep --top --effects --undo-class-weights --allow-empty --delimiter --quote --header --devices --threads --json --quiet --help -h" ;;
    explain) words="--tables --top --min-count --output --threads --json --quiet --help -h" ;;
    values) words="--top --min-count --codes --json --quiet --help -h" ;;
    describe) words="--schema --json --quiet --help -h" ;;
    hash) words="--cardinality --encoding --buckets --hash --seed --hex --json --quiet --help -h" ;;
    devices) words="--json --quiet --help -h" ;;
    esac
  fi
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -F _widehash widehash
